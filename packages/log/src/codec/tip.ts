// Where a log ends: all that its next record depends on.

import type { Chain } from '../ids.ts';
import { CHAIN_START } from '../ids.ts';

/** The end of a log. */
export interface Tip {
  /** How many records it holds, ancestors included: the position of the next. */
  readonly length: number;
  /** The chain behind the last record. */
  readonly chain: Chain;
  /** The fence of the last record; 0 where there is none. */
  readonly fence: number;
}

/** The end of a log without records. */
export const EMPTY_TIP: Tip = { length: 0, chain: CHAIN_START, fence: 0 };
