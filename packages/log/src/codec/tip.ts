// End of a log: the values that the next record depends on.

import type { Chain } from '../ids.ts';
import { CHAIN_START } from '../ids.ts';

/** State at the end of a log. */
export interface Tip {
  /** Number of records in the log, ancestors included. Also the position of the next record. */
  readonly length: number;
  /** Chain value after the last record. */
  readonly chain: Chain;
  /** Fence of the last record, or 0 if there is no record. */
  readonly fence: number;
}

/** End of a log without records. */
export const EMPTY_TIP: Tip = { length: 0, chain: CHAIN_START, fence: 0 };
