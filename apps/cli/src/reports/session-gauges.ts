// Computes the gauge of each session in a list. Uses the snapshot of the session and the records after it. The total
// number of records is limited, because the list must be faster than reading every log from its start.

import { glanceAtFold } from '@tidemark/agent';
import type { Gauge } from '@tidemark/context';
import type { Log, SessionId, SessionSummary } from '@tidemark/log';

import { isOfSession } from './each-session.ts';
import { gaugeAtRest } from './gauge-at-rest.ts';
import { formatNumber } from '../frame/numbers.ts';

/**
 * Session with its gauge. For a session without any request, the gauge is `null`. If the gauge was not read, the field
 * is absent and `unread` contains the reason.
 */
export interface GaugedSession extends SessionSummary {
  readonly gauge?: Gauge | null;
  /**
   * `long`: the log has more records than a list reads, but `tidemark show` reads them. `damaged`: the log is damaged,
   * and `tidemark doctor` reports the place.
   */
  readonly unread?: 'long' | 'damaged';
}

/** Maximum number of records after the snapshots that one list reads. Reading them takes about one second. */
const MAX_RECORDS = 40_000;

/**
 * Returns the sessions with their gauges, in the given order. `most` limits the total number of records read. If a
 * session would exceed the limit, it is marked `long`.
 *
 * @throws any error that does not concern a single session.
 */
export async function gaugeSessions(
  store: Log,
  home: string,
  sessions: readonly SessionSummary[],
  most: number = MAX_RECORDS,
): Promise<readonly GaugedSession[]> {
  const gauged: GaugedSession[] = [];
  let left = most;
  for (const session of sessions) {
    const { result, read } = await glance(store, home, session.session, left);
    left -= read;
    gauged.push({ ...session, ...result });
  }
  return gauged;
}

interface Glance {
  readonly result: Pick<GaugedSession, 'gauge' | 'unread'>;
  readonly read: number;
}

async function glance(store: Log, home: string, session: SessionId, most: number): Promise<Glance> {
  try {
    const { fold, read } = await glanceAtFold(store, session, most);
    if (fold === undefined) return { result: { unread: 'long' }, read };
    const { gauge = null } = await gaugeAtRest({ store, session, home }, fold);
    return { result: { gauge }, read };
  } catch (error) {
    if (!isOfSession(error)) throw error;
    return { result: { unread: 'damaged' }, read: 0 };
  }
}

/** Formats a gauge as a cell of the list: `168,000/200,000 (84%)`. Unknown values are printed as `unknown` (L7). */
export function gaugeCell({ gauge, unread }: GaugedSession): string {
  if (gauge === undefined) return unread === 'damaged' ? 'damaged' : 'not read';
  if (gauge === null) return '';
  const { input, limit, ratio } = gauge;
  const share = ratio === undefined ? '' : ` (${Math.floor(100 * ratio)}%)`;
  return `${input === undefined ? 'unknown' : formatNumber(input)}/${limit === 0 ? 'unknown' : formatNumber(limit)}${share}`;
}

/** Formats a gauge as a short cell: `84%`, or the tokens if the limit is unknown. */
export function shortGaugeCell(session: GaugedSession): string {
  const { ratio } = session.gauge ?? {};
  return ratio === undefined ? gaugeCell(session) : `${Math.floor(100 * ratio)}%`;
}
