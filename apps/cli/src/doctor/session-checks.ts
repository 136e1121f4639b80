// Checks every session from its first record to its last. Checks the checksums, the payloads and the digest chain, and
// that each artifact that a record refers to exists. Takes no lock and writes nothing.

import type { DamagePlace, Log, SessionId } from '@tidemark/log';
import { sessionId } from '@tidemark/log';
import type { Inspection, MissingArtifact } from '@tidemark/store-ndjson';
import { inspectSession } from '@tidemark/store-ndjson';

import type { CheckState } from './check.ts';
import { isOfFiles, RESTORE } from './lost-session.ts';

export interface InspectedSession {
  readonly session: string;
  readonly state: CheckState;
  /** Number of intact records before the first damage, including those of ancestors. */
  readonly records: number;
  readonly found: string;
  readonly damage?: DamagePlace & { readonly reason: string; readonly soundBehind: number };
  /** Artifacts that the records refer to but that the home does not contain. Absent if no artifact is missing. */
  readonly missing?: readonly MissingArtifact[];
  readonly next?: string;
}

/** Maximum number of missing artifacts that are listed. */
const SHOWN = 20;

/** Checks the sessions of a home one after another. Sessions that cannot be listed come last. */
export async function* inspectSessions(store: Log, home: string): AsyncIterable<InspectedSession> {
  const { sessions, unreadable } = await store.sessions();
  for (const { session } of sessions) yield await inspectOne(home, session);
  for (const { session, reason } of unreadable) {
    const id = readId(session);
    const lost = lostSession(session, `no record can be read: ${reason}`);
    yield id === undefined ? lost : await inspectOne(home, id, lost);
  }
}

function lostSession(session: string, found: string): InspectedSession {
  return { session, state: 'failed', records: 0, found, next: RESTORE };
}

/** Returns the session id, or `undefined` for a folder whose name is not a session id. */
function readId(name: string): SessionId | undefined {
  try {
    return sessionId(name);
  } catch {
    return undefined;
  }
}

/**
 * Checks one session. If its files cannot be read, returns `lost`. By default, `lost` contains the message of the
 * error.
 */
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

const RESTORE_FILES = 'restore these files from a backup, under these names or with .zst appended';

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
    const found = `${records} intact records, then damage in ${place}: ${reason}; ${soundBehind} intact lines after it`;
    return { session, state: 'failed', records, found, damage, next: `tidemark doctor --repair ${session}` };
  }
  const names = [...new Set(unknown.map((each) => each.name))];
  const tail = torn === 0 ? '' : `, and an incomplete last line of ${torn} bytes, which the next writer removes`;
  const found = `${records} records${tail}`;
  if (damagedSnapshot !== undefined) {
    const next = `rm ${damagedSnapshot}`;
    return { session, state: 'warning', records, found: `${found}; its snapshot is damaged and not used`, next };
  }
  if (names.length === 0) return { session, state: 'good', records, found };
  const next = 'update Tidemark to run this session';
  return { session, state: 'warning', records, found: `${found}; unknown event kinds: ${names.join(', ')}`, next };
}
