// The catalog row that a session's limits are read from: the one its epoch keeps; for a recording, which keeps none, the
// catalog's own.

import { loadCapabilities } from '@tidemark/agent';
import { isRecorded } from '@tidemark/context';
import type { Artifacts, EpochOpened } from '@tidemark/log';
import type { Capabilities } from '@tidemark/model';
import { findModel } from '@tidemark/model';

import { readCatalog } from './own-catalog.ts';

/**
 * Returns the catalog row that a session's limits are read from; `undefined` where a recording is of a model that no row names.
 *
 * @throws AgentError `agent/missing-artifact` where what the epoch names is gone, which `doctor` tells; what `readCatalog`
 *   throws.
 */
export async function rowInForce(
  artifacts: Artifacts,
  opened: EpochOpened,
  home: string,
): Promise<Capabilities | undefined> {
  if (!isRecorded(opened)) return loadCapabilities(artifacts, opened);
  return findModel(await readCatalog(home), opened.model, opened.provider);
}
