// Finds the catalog row that contains a session's limits. An epoch stores the row of its model. An imported session
// stores no row, so its row is read from the catalog.

import { loadCapabilities } from '@tidemark/agent';
import { isRecorded } from '@tidemark/context';
import type { Artifacts, EpochOpened } from '@tidemark/log';
import type { Capabilities } from '@tidemark/model';
import { findModel } from '@tidemark/model';

import { readCatalog } from './own-catalog.ts';

/**
 * Returns the catalog row with a session's limits. For an imported session whose model is not in the catalog, returns
 * `undefined`.
 *
 * @throws AgentError `agent/missing-artifact` when the artifact of the epoch is missing. `doctor` reports such an
 * artifact. Also throws the errors of `readCatalog`.
 */
export async function rowInForce(
  artifacts: Artifacts,
  opened: EpochOpened,
  home: string,
): Promise<Capabilities | undefined> {
  if (!isRecorded(opened)) return loadCapabilities(artifacts, opened);
  return findModel(await readCatalog(home), opened.model, opened.provider);
}
