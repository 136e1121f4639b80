// Looks every session over from its first record to its last: checksums, payloads, the chain. Takes no lock, writes nothing.

import type { DamagePlace, Log, SessionId } from '@tidemark/log';
import { sessionId } from '@tidemark/log';
import type { Inspection } from '@tidemark/store-ndjson';
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
  readonly next?: string;
}

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
    return judge(await inspectSession({ home }, session));
  } catch (error) {
    if (!isOfFiles(error)) throw error;
    return lost ?? lostSession(session, error.message);
  }
}

function judge({ session, records, torn, unknown, damage, damagedSnapshot }: Inspection): InspectedSession {
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
