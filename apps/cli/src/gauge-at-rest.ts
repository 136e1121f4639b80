// How full the next request of a session would be that is only looked at: by its log, and the row of its epoch.

import { loadCapabilities } from '@tidemark/agent';
import type { Gauge, State } from '@tidemark/context';
import { gaugeOf } from '@tidemark/context';
import type { Artifacts } from '@tidemark/log';

/**
 * The gauge with the output limit of the last request; `undefined` for a session that asked nothing, for one that was
 * recorded elsewhere, and where the row that its epoch names is gone, which `doctor` tells.
 */
export async function gaugeAtRest(artifacts: Artifacts, state: State): Promise<Gauge | undefined> {
  const accepted = state.streams['main']?.accepted;
  if (state.epoch === undefined || accepted === undefined) return undefined;
  if (!(await artifacts.has(state.epoch.opened.capabilities))) return undefined;
  const row = await loadCapabilities(artifacts, state.epoch.opened);
  return gaugeOf(state, row, { outputLimit: accepted.prepared.outputLimit });
}
