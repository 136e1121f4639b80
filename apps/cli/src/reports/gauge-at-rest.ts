// Computes how full the next request of an idle session would be. Uses the session's log and the catalog row of its
// epoch.

import type { Gauge, GaugeLimits, State } from '@tidemark/context';
import { gaugeOf, isRecorded } from '@tidemark/context';
import type { Artifacts } from '@tidemark/log';

import { rowInForce } from '../settings/row-in-force.ts';

/** Limits of a model without a catalog row. 0 means unknown. */
const NO_LIMITS: GaugeLimits = {
  inputLimit: 0,
  outputLimit: 0,
  window: { tokens: 0, sharedWithOutput: 'no' },
  prices: [],
};

/**
 * Returns the gauge, with the output limit of the last request. For an imported session, the gauge uses the usage of
 * its last answer. Returns `undefined` for a session without any request. Also returns `undefined` if the artifact with
 * the catalog row of the epoch is missing. `doctor` reports such an artifact.
 */
export async function gaugeAtRest(artifacts: Artifacts, state: State, home: string): Promise<Gauge | undefined> {
  const { epoch, streams } = state;
  const accepted = streams['main']?.accepted;
  if (epoch === undefined || (accepted === undefined && !isRecorded(epoch.opened))) return undefined;
  if (!(await artifacts.has(epoch.opened.capabilities))) return undefined;
  const row = (await rowInForce(artifacts, epoch.opened, home)) ?? NO_LIMITS;
  return gaugeOf(state, row, accepted === undefined ? {} : { outputLimit: accepted.prepared.outputLimit });
}
