// How full each session of a list is, as far as a glance tells: from its snapshot and the records behind it, and of so many
// records in all. A list must not take as long as reading every log from its beginning.

import { glanceAtFold } from '@tidemark/agent';
import type { Gauge } from '@tidemark/context';
import type { Log, SessionId, SessionSummary } from '@tidemark/log';

import { isOfSession } from './each-session.ts';
import { gaugeAtRest } from './gauge-at-rest.ts';
import { formatNumber } from '../frame/numbers.ts';

/** A session and its gauge: `null` where it has asked nothing; absent where it was not read, `unread` says why. */
export interface GaugedSession extends SessionSummary {
  readonly gauge?: Gauge | null;
  /** `long`: more than a list reads, `tidemark show` reads it. `damaged`: `tidemark doctor` says where. */
  readonly unread?: 'long' | 'damaged';
}

/** Records that one list reads behind the snapshots: about a second of work. */
const MOST = 40_000;

/** Reads them, in the order that is given, until `most` records were read. @throws what is no fault of one session. */
export async function gaugeSessions(
  store: Log,
  home: string,
  sessions: readonly SessionSummary[],
  most: number = MOST,
): Promise<readonly GaugedSession[]> {
  const gauged: GaugedSession[] = [];
  let left = most;
  for (const session of sessions) {
    const { told, read } = await glance(store, home, session.session, left);
    left -= read;
    gauged.push({ ...session, ...told });
  }
  return gauged;
}

interface Glance {
  readonly told: Pick<GaugedSession, 'gauge' | 'unread'>;
  readonly read: number;
}

async function glance(store: Log, home: string, session: SessionId, most: number): Promise<Glance> {
  try {
    const { fold, read } = await glanceAtFold(store, session, most);
    if (fold === undefined) return { told: { unread: 'long' }, read };
    return { told: { gauge: (await gaugeAtRest(store.artifacts, fold.state, home)) ?? null }, read };
  } catch (error) {
    if (!isOfSession(error)) throw error;
    return { told: { unread: 'damaged' }, read: 0 };
  }
}

/** A cell of the list: `168,000/200,000 (84%)`. What is unknown is said to be (L7). */
export function gaugeCell({ gauge, unread }: GaugedSession): string {
  if (gauge === undefined) return unread === 'damaged' ? 'damaged' : 'not read';
  if (gauge === null) return '';
  const { input, limit, ratio } = gauge;
  const share = ratio === undefined ? '' : ` (${Math.floor(100 * ratio)}%)`;
  return `${input === undefined ? 'unknown' : formatNumber(input)}/${limit === 0 ? 'unknown' : formatNumber(limit)}${share}`;
}
