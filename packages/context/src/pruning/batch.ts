// Batches of old results that may be shortened together: all from one on. Where a batch begins decides how far back the prefix
// breaks, and so from which cache entry on everything is written again.

import { itemAt } from '../base/append-only.ts';
import type { OldResult, OldResults, Totals } from './prunable.ts';
import { firstPrunable, totalsFrom } from './prunable.ts';
import type { Grounds } from './uses.ts';

/** Results from one on, those on some grounds, and what it means to shorten them. Tokens are estimates. */
export interface PruningBatch extends Totals {
  /** Index of the first of them. */
  readonly first: number;
  readonly grounds: readonly Grounds[];
  /** What was sent before, and is written again. */
  readonly rewritten: number;
}

/** Where the next request can go on reading, were it cut there. */
export interface Readable {
  /** Blocks of the history that each cache entry holds. */
  readonly entries: readonly number[];
  /** Any point of the history is an entry. */
  readonly anywhere: boolean;
}

/** Decides for the results on some grounds whether a batch takes them along. */
export type TakesAlong = (totals: Totals) => boolean;

/** Returns the batch of all results on the grounds that are worth it, where the history is written anew in any case. */
export function allOf(old: OldResults, allowed: readonly Grounds[], takes: TakesAlong): PruningBatch | undefined {
  const batch = batchFrom(old, { index: 0, kept: 0, anywhere: false }, allowed, takes);
  return batch && { ...batch, rewritten: 0 };
}

/**
 * Batches worth a look, that of all results first: of those that break the prefix behind the same entry, the one that begins
 * first frees most and rewrites least. Their number follows that of the entries.
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
  for (const kept of ends) {
    const index = count(found.length, (one) => (itemAt(found, one)?.packedBefore ?? kept) < kept);
    const batch = batchFrom(old, { index, kept, anywhere }, present, takes);
    // Of two entries before the same result the longer one is read.
    if (batch !== undefined) batches.set(batch.first, batch);
  }
  return [...batches.values()];
}

/** Returns the results of a batch, in order. The cost follows their span of the list. */
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
  /** Tokens that are read, and not written again. */
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

/** What is packed up to the end of the last span that so many blocks hold whole. */
function tokensBefore({ spans: { blocks, tokens } }: OldResults, held: number): number {
  return tokens[count(blocks.length, (index) => (blocks[index] ?? held) <= held) - 1] ?? 0;
}

/** How many of a list, at its beginning, are such: found by halving. */
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
