// Reads every session of a store from its first record to its last. Takes no lock and writes nothing.

import type { DamagePlace, Log, SessionId } from '@tidemark/log';
import { LogError } from '@tidemark/log';

import type { CheckState } from './check.ts';

/** What reading one session found. */
export interface InspectedSession {
  readonly session: string;
  readonly state: CheckState;
  /** Sound records, ancestors included, up to the first damage. */
  readonly records: number;
  readonly found: string;
  readonly damage?: DamagePlace;
  readonly next?: string;
}

/** Every session of the store, one after the other; those that cannot even be listed come last. */
export async function* inspectSessions(store: Log): AsyncIterable<InspectedSession> {
  const { sessions, unreadable } = await store.sessions();
  for (const { session } of sessions) yield await inspect(store, session);
  for (const { session, reason } of unreadable) {
    yield { session, state: 'failed', records: 0, found: reason, next: repairHint(session) };
  }
}

async function inspect(store: Log, session: SessionId): Promise<InspectedSession> {
  let records = 0;
  try {
    for await (const _record of store.read(session)) records += 1;
  } catch (error) {
    if (!(error instanceof LogError)) throw error;
    return failed(session, records, error);
  }
  return { session, state: 'good', records, found: `${records} records` };
}

function failed(session: SessionId, records: number, error: LogError): InspectedSession {
  const found = `${records} sound records, then: ${error.message}`;
  const base = { session, state: 'failed', records, found } as const;
  if (error.code !== 'log/damaged') return base;
  const damage = placeIn(error.data);
  return { ...base, next: repairHint(session), ...(damage !== undefined && { damage }) };
}

function repairHint(session: string): string {
  return `tidemark doctor --repair ${session}`;
}

const PHASES: readonly DamagePlace['phase'][] = ['frame', 'checksum', 'parse', 'decode', 'sequence', 'chain', 'parent'];

function placeIn(data: Readonly<Record<string, unknown>>): DamagePlace | undefined {
  const { path, line, offset, phase } = data;
  const known = PHASES.find((each) => each === phase);
  if (typeof path !== 'string' || typeof line !== 'number' || typeof offset !== 'number' || known === undefined)
    return undefined;
  return { path, line, offset, phase: known };
}
