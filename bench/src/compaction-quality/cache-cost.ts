// What the calls after a cut cost in the accounts of the simulator, with a packed history and with the whole one.

import { chargedBy } from '../charged-by.ts';
import type { Chain, Charged } from '../lives-played.ts';
import { send } from '../lives-played.ts';
import { MODEL } from './compact-cut.ts';

/** Calls that are looked at. */
export const CALLS = 20;
/** Tokens of tools and system text. They stay in the cache over a compaction. */
export const FRONT_TOKENS = 10_000;

let charged: Charged | undefined;

/** The sizes of a cut, in tokens. */
export interface CutSizes {
  readonly before: number;
  readonly kept: number;
  /** What each call adds to the history. */
  readonly growth: number;
}

/**
 * Returns the cost of the next calls over their cost without a compaction: the front is read, what was kept is written once
 * and then read, and what is new is written by each call. Input alone, at five minutes of life, without a pause.
 */
export function cacheCost({ before, kept, growth }: CutSizes): number {
  const packed = costOf(FRONT_TOKENS, FRONT_TOKENS + kept, growth);
  return packed / costOf(FRONT_TOKENS + before, FRONT_TOKENS + before, growth);
}

/** The first call reads `read` tokens from the cache and sends `sent`, and what is new. */
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
