// From which old result on it saves most to shorten all of them: an earlier one frees more, and breaks the prefix further
// back. Which of two is better does not change with what comes behind them, so the best up to each is kept.

import { itemAt } from './append-only.ts';
import type { Prunable, Prunables } from './prunable.ts';

/** What a token is worth, both in the same money: one that is freed saves it, one that is rewritten costs it. */
export interface TokenWorth {
  readonly freed: number;
  readonly rewritten: number;
}

/** For one worth: the best among the results up to each. */
interface Leaders {
  readonly worth: TokenWorth;
  readonly upTo: number[];
}

const kept = new WeakMap<readonly Prunable[], Leaders>();

/**
 * Index of the result that the best batch begins with, among those that free at least so much; the oldest of equals. The cost
 * follows what is new since the last time; where a token is worth something else, all results are compared anew.
 */
export function bestStart({ results, freed }: Prunables, least: number, worth: TokenWorth): number {
  const { upTo } = leadersOf(results.buffer, worth);
  for (let index = upTo.length; index < results.length; index += 1) {
    const before = upTo[index - 1];
    upTo.push(before === undefined || isBetter(results, index, before, worth) ? index : before);
  }
  const last = countUpTo(results, freed - least) - 1;
  return upTo[last] ?? 0;
}

function leadersOf(results: readonly Prunable[], worth: TokenWorth): Leaders {
  const known = kept.get(results);
  const same = known?.worth.freed === worth.freed && known.worth.rewritten === worth.rewritten;
  const leaders = same ? known : { worth, upTo: [] };
  kept.set(results, leaders);
  return leaders;
}

/** Of two batches the one from `a` on saves what lies between them less to shorten, and so much less to rewrite. */
function isBetter(results: Prunables['results'], a: number, b: number, { freed, rewritten }: TokenWorth): boolean {
  const [one, other] = [itemAt(results, a), itemAt(results, b)];
  if (one === undefined || other === undefined) return false;
  const saves = (one.packedBefore - other.packedBefore) * rewritten;
  return saves > (one.freedBefore - other.freedBefore) * (freed + rewritten);
}

/** How many results have at most so much freed before them: found by halving, as that only grows. */
function countUpTo(results: Prunables['results'], freed: number): number {
  let low = 0;
  let high = results.length;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if ((itemAt(results, middle)?.freedBefore ?? Infinity) <= freed) low = middle + 1;
    else high = middle;
  }
  return low;
}
