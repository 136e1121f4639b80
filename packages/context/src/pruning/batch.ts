// Builds batches of old results that can be shortened together. A batch contains all suitable results from one index
// on. That index decides where the prefix breaks. It therefore also decides which cache entry can still be read.

import { itemAt } from '../base/append-only.ts';
import type { OldResult, OldResults, Totals } from './prunable.ts';
import { firstPrunable, totalsFrom } from './prunable.ts';
import type { Grounds } from './uses.ts';

/**
 * Results from one index on that may be shortened for certain reasons (`grounds`), and the effect of shortening them.
 * Tokens are estimates.
 */
export interface PruningBatch extends Totals {
  /** Index of the first result of the batch. */
  readonly first: number;
  readonly grounds: readonly Grounds[];
  /** Tokens that were sent before and must be written again. */
  readonly rewritten: number;
}

/** Places in the history up to which the next request can read from the cache. */
export interface Readable {
  /** Number of history blocks in each cache entry. */
  readonly entries: readonly number[];
  /** True if the cache can be read up to any point of the history. */
  readonly anywhere: boolean;
}

/** Decides if a batch includes the results with certain grounds. `totals` are the sums over these results. */
export type TakesAlong = (totals: Totals) => boolean;

/**
 * Returns the batch of all results, for a request that writes the whole history again in any case. The batch includes
 * only results with grounds that `takes` accepts. Returns `undefined` if no result is left.
 */
export function allOf(old: OldResults, allowed: readonly Grounds[], takes: TakesAlong): PruningBatch | undefined {
  const batch = batchFrom(old, { index: 0, kept: 0, anywhere: false }, allowed, takes);
  return batch && { ...batch, rewritten: 0 };
}

/**
 * Returns the batches to compare, at most one for each cache entry. Several batches can break the prefix after the same
 * entry. The batch with the earliest start frees most and rewrites least, so only this batch is returned. The batch of
 * all results comes first.
 */
export function batchesOf(
  old: OldResults,
  { entries, anywhere }: Readable,
  allowed: readonly Grounds[],
  takes: TakesAlong,
): readonly PruningBatch[] {
  const { found, all } = old;
  const present = allowed.filter((grounds) => (all[grounds][0] ?? 0) > 0);
  if (present.length === 0) return [];
  const ends = [0, ...entries].map((blocks) => tokensBefore(old, blocks)).toSorted((a, b) => a - b);
  const batches = new Map<number, PruningBatch>();
  for (const end of ends) {
    const index = count(found.length, (one) => (itemAt(found, one)?.packedBefore ?? end) < end);
    const batch = batchFrom(old, { index, kept: end, anywhere }, present, takes);
    // If two entries end before the same result, the later entry in this loop is longer. Its batch replaces the batch
    // of the shorter entry.
    if (batch !== undefined) batches.set(batch.first, batch);
  }
  return [...batches.values()];
}

/**
 * Returns the results of a batch, in order. The running time is proportional to the part of the list after the first
 * result of the batch.
 */
export function resultsOf(
  { found }: OldResults,
  { first, grounds }: PruningBatch,
  groundsAt: (one: OldResult) => Grounds | undefined,
): readonly OldResult[] {
  const results: OldResult[] = [];
  for (let index = first; index < found.length; index += 1) {
    const result = itemAt(found, index);
    const on = result && groundsAt(result);
    if (result !== undefined && on !== undefined && grounds.includes(on)) results.push(result);
  }
  return results;
}

interface BatchStart {
  readonly index: number;
  /** Tokens that are read from the cache and therefore not written again. */
  readonly kept: number;
  readonly anywhere: boolean;
}

const NOTHING: Totals = { count: 0, freed: 0, read: 0, refetched: 0, refetches: 0 };

function batchFrom(
  old: OldResults,
  { index, kept, anywhere }: BatchStart,
  allowed: readonly Grounds[],
  takes: TakesAlong,
): PruningBatch | undefined {
  const taken = allowed
    .map((grounds) => ({ grounds, totals: totalsFrom(old, index, grounds) }))
    .filter(({ totals }) => totals.count > 0 && takes(totals));
  const grounds = taken.map((one) => one.grounds);
  const first = firstPrunable(old, index, grounds);
  const start = first === undefined ? undefined : itemAt(old.found, first);
  if (first === undefined || start === undefined) return undefined;
  const totals = taken.reduce((sum, one) => add(sum, one.totals), NOTHING);
  const read = anywhere ? start.packedBefore : kept;
  return { ...totals, first, grounds, rewritten: old.end - read - totals.freed };
}

function add(a: Totals, b: Totals): Totals {
  return {
    count: a.count + b.count,
    freed: a.freed + b.freed,
    read: a.read + b.read,
    refetched: a.refetched + b.refetched,
    refetches: a.refetches + b.refetches,
  };
}

/** Returns the tokens of the history up to the end of the last span that lies completely within `held` blocks. */
function tokensBefore({ spans: { blocks, tokens } }: OldResults, held: number): number {
  return tokens[count(blocks.length, (index) => (blocks[index] ?? held) <= held) - 1] ?? 0;
}

/** Returns the number of leading items for which the test is true, by binary search. */
function count(length: number, isSuch: (index: number) => boolean): number {
  let low = 0;
  let high = length;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (isSuch(middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}
