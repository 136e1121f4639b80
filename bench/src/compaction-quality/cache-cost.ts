// Computes the cost of the calls after a cut, with a compacted history and with the whole history. The computation is
// the same as that of the simulator's bill.

import { chargedBy } from '../charged-by.ts';
import type { Chain, Charged } from '../lives-played.ts';
import { send } from '../lives-played.ts';
import { MODEL } from './compact-cut.ts';

/** Number of calls after the cut whose cost is summed. */
export const CALLS = 20;
/** Tokens of tools and system text. They stay in the cache after a compaction. */
export const FRONT_TOKENS = 10_000;

let charged: Charged | undefined;

/** Sizes in tokens: the history without a compaction (`before`) and after it (`kept`). */
export interface CutSizes {
  readonly before: number;
  readonly kept: number;
  /** Tokens that each call adds to the history. */
  readonly growth: number;
}

/**
 * Returns the cost of the next calls divided by their cost without a compaction. The front is read, the kept history is
 * written once and then read, and each call writes its new tokens. Only input is counted, with the five-minute TTL and
 * without pauses.
 */
export function cacheCost({ before, kept, growth }: CutSizes): number {
  const packed = costOf(FRONT_TOKENS, FRONT_TOKENS + kept, growth);
  return packed / costOf(FRONT_TOKENS + before, FRONT_TOKENS + before, growth);
}

/**
 * Sums the cost of the calls. The first call reads `read` tokens from the cache and sends `sent` tokens plus its new
 * tokens.
 */
function costOf(read: number, sent: number, growth: number): number {
  charged ??= chargedBy(MODEL);
  let chain: Chain = { long: 0, tokens: read };
  let kept = read;
  let cost = 0;
  for (let call = 1; call <= CALLS; call += 1) {
    const tokens = sent + call * growth;
    const made = send({ gap: 0, tokens, kept }, chain, '5m', charged);
    cost += made.cost;
    chain = made.chain;
    kept = tokens;
  }
  return cost;
}
