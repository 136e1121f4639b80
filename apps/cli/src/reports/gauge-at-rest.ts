// How full the next request of a session would be that is only looked at: by its log, and the row of its epoch.

import type { Gauge, GaugeLimits, State } from '@tidemark/context';
import { gaugeOf, isRecorded } from '@tidemark/context';
import type { Artifacts } from '@tidemark/log';

import { rowInForce } from '../settings/row-in-force.ts';

/** Of a model that no row names: nothing is known. */
const NO_LIMITS: GaugeLimits = {
  inputLimit: 0,
  outputLimit: 0,
  window: { tokens: 0, sharedWithOutput: 'no' },
  prices: [],
};

/**
 * The gauge with the output limit of the last request; of a recording, by what its last answer counted. `undefined` for a
 * session that asked nothing, and where the row that its epoch names is gone, which `doctor` tells.
 */
export async function gaugeAtRest(artifacts: Artifacts, state: State, home: string): Promise<Gauge | undefined> {
  const { epoch, streams } = state;
  const accepted = streams['main']?.accepted;
  if (epoch === undefined || (accepted === undefined && !isRecorded(epoch.opened))) return undefined;
  if (!(await artifacts.has(epoch.opened.capabilities))) return undefined;
  const row = (await rowInForce(artifacts, epoch.opened, home)) ?? NO_LIMITS;
  return gaugeOf(state, row, accepted === undefined ? {} : { outputLimit: accepted.prepared.outputLimit });
}
