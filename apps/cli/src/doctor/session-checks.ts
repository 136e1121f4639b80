// Looks every session over from its first record to its last: checksums, payloads, the chain, and that each artifact which a
// record names is there. Takes no lock, writes nothing.

import type { DamagePlace, Log, SessionId } from '@tidemark/log';
import { sessionId } from '@tidemark/log';
import type { Inspection, MissingArtifact } from '@tidemark/store-ndjson';
import { inspectSession } from '@tidemark/store-ndjson';

import type { CheckState } from './check.ts';
import { isOfFiles, RESTORE } from './lost-session.ts';

/** What looking over one session found. */
export interface InspectedSession {
  readonly session: string;
  readonly state: CheckState;
  /** Sound records, ancestors included, up to the first damage. */
  readonly records: number;
  readonly found: string;
  readonly damage?: DamagePlace & { readonly reason: string; readonly soundBehind: number };
  /** Artifacts that its records name and the home does not hold; absent where all are there. */
  readonly missing?: readonly MissingArtifact[];
  readonly next?: string;
}

/** Missing artifacts that are listed one by one. */
const SHOWN = 20;

/** Every session in a home, one after the other; those that cannot even be listed come last. */
export async function* inspectSessions(store: Log, home: string): AsyncIterable<InspectedSession> {
  const { sessions, unreadable } = await store.sessions();
  for (const { session } of sessions) yield await inspectOne(home, session);
  for (const { session, reason } of unreadable) {
    const id = readId(session);
    const lost = lostSession(session, `not one record can be read: ${reason}`);
    yield id === undefined ? lost : await inspectOne(home, id, lost);
  }
}

function lostSession(session: string, found: string): InspectedSession {
  return { session, state: 'failed', records: 0, found, next: RESTORE };
}

/** A folder may have any name. */
function readId(name: string): SessionId | undefined {
  try {
    return sessionId(name);
  } catch {
    return undefined;
  }
}

/** `lost` is what to say of a session in which nothing can be looked at, where the list knows more of it. */
async function inspectOne(home: string, session: SessionId, lost?: InspectedSession): Promise<InspectedSession> {
  try {
    return judge(await inspectSession({ home }, session, { artifacts: true }));
  } catch (error) {
    if (!isOfFiles(error)) throw error;
    return lost ?? lostSession(session, error.message);
  }
}

function judge(inspection: Inspection): InspectedSession {
  const { missing = [] } = inspection;
  const judged = judgeLog(inspection);
  if (missing.length === 0) return judged;
  const { state, next } = judged;
  return {
    ...judged,
    state: 'failed',
    found: `${judged.found}; ${missingWords(missing)}`,
    missing,
    next: state === 'failed' && next !== undefined ? `${next}; then ${RESTORE_FILES}` : RESTORE_FILES,
  };
}

const RESTORE_FILES = 'restore these files from a backup, as they are or with .zst at the end of their names';

function missingWords(missing: readonly MissingArtifact[]): string {
  const listed = missing
    .slice(0, SHOWN)
    .map(({ path, position, kind }) => `\n         record ${position} (${kind}): ${path}`);
  const rest = missing.length > SHOWN ? [`\n         and ${missing.length - SHOWN} more`] : [];
  const files = missing.length === 1 ? 'artifact is' : 'artifacts are';
  return `${missing.length} ${files} missing:${[...listed, ...rest].join('')}`;
}

function judgeLog({ session, records, torn, unknown, damage, damagedSnapshot }: Inspection): InspectedSession {
  if (damage !== undefined) {
    const { path, line, offset, phase, reason, soundBehind } = damage;
    const place = `${path}, line ${line}, byte ${offset} (${phase})`;
    const found = `${records} sound records, then damage in ${place}: ${reason}; ${soundBehind} sound lines behind it`;
    return { session, state: 'failed', records, found, damage, next: `tidemark doctor --repair ${session}` };
  }
  const names = [...new Set(unknown.map((each) => each.name))];
  const tail = torn === 0 ? '' : `, and a torn tail of ${torn} bytes that the next writer cuts`;
  const found = `${records} records${tail}`;
  if (damagedSnapshot !== undefined) {
    const next = `rm ${damagedSnapshot}`;
    return { session, state: 'warning', records, found: `${found}; its snapshot is damaged and not used`, next };
  }
  if (names.length === 0) return { session, state: 'good', records, found };
  const next = 'update Tidemark to run this session';
  return { session, state: 'warning', records, found: `${found}; kinds unknown here: ${names.join(', ')}`, next };
}
