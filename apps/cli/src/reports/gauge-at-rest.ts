// Computes how full the next request of an idle session would be. Uses the session's log and the catalog row of its
// epoch.

import type { Fold } from '@tidemark/agent';
import { stateOfNextCall, THIS_MACHINE } from '@tidemark/agent';
import type { Gauge, GaugeLimits, State } from '@tidemark/context';
import { gaugeOf, isRecorded } from '@tidemark/context';
import type { Log, SessionId } from '@tidemark/log';

import { rowInForce } from '../settings/row-in-force.ts';
import { encoders } from './encoders.ts';

/** Limits of a model without a catalog row. 0 means unknown. */
const NO_LIMITS: GaugeLimits = {
  inputLimit: 0,
  outputLimit: 0,
  window: { tokens: 0, sharedWithOutput: 'no' },
  prices: [],
};

/** Next request of an idle session. */
export interface NextRequest {
  /** State of the log just before the request. */
  readonly state: State;
  /**
   * Absent for a session without any request. Also absent if the artifact with the catalog row of the epoch is missing.
   * `doctor` reports such an artifact.
   */
  readonly gauge?: Gauge;
}

/** Store, session and home of a gauge. */
export interface GaugePlace {
  readonly store: Pick<Log, 'artifacts' | 'shared' | 'read'>;
  readonly session: SessionId;
  readonly home: string;
}

/**
 * Returns the next request with its gauge. A compaction or a pruning that waits for the request is applied, as in the
 * forecast of the next call. The output limit is that of the last request. For an imported session, the gauge uses the
 * usage of its last answer.
 */
export async function gaugeAtRest({ store, session, home }: GaugePlace, fold: Fold): Promise<NextRequest> {
  const { state } = fold;
  const { epoch, streams } = state;
  const prepared = streams['main']?.accepted?.prepared;
  if (epoch === undefined || (prepared === undefined && !isRecorded(epoch.opened))) return { state };
  if (!(await store.artifacts.has(epoch.opened.capabilities))) return { state };
  const row = await rowInForce(store.artifacts, epoch.opened, home);
  if (prepared === undefined || row === undefined) return { state, gauge: gaugeOf(state, row ?? NO_LIMITS) };
  const { outputLimit } = prepared;
  const encoder = encoders(prepared.encoder);
  const settings = encoder && { capabilities: row, encoder, outputLimit, at: THIS_MACHINE.now() };
  const next = settings ? await stateOfNextCall({ ...fold, session, log: store }, settings) : state;
  return { state: next, gauge: gaugeOf(next, row, { outputLimit }) };
}
