// Batches of old results that may be shortened together: all from one on. Where a batch begins decides how far back the prefix
// breaks, and so from which cache entry on everything is written again.

import { itemAt } from './append-only.ts';
import type { Prunable, Prunables } from './prunable.ts';

/** All results from one on, and what it means to shorten them. Tokens are estimates. */
export interface Batch {
  readonly first: number;
  readonly freed: number;
  /** What of it was read so far: the same, once for each call of this session that has read it. */
  readonly read: number;
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

/** The batch of all results, where the history is written anew in any case. */
export function allOf({ freed, read }: Prunables): Batch {
  return { first: 0, freed, read, rewritten: 0 };
}

/**
 * Batches worth a look, that of all results first: of those that break the prefix behind the same entry, the one that begins
 * first frees most and rewrites least. Their number follows that of the entries.
 */
export function batchesOf(prunables: Prunables, { entries, anywhere }: Readable): readonly Batch[] {
  const { results } = prunables;
  const ends = [0, ...entries].map((blocks) => tokensBefore(prunables, blocks)).toSorted((a, b) => a - b);
  const batches = new Map<number, Batch>();
  for (const end of ends) {
    const first = count(results.length, (index) => (itemAt(results, index)?.packedBefore ?? end) < end);
    const start = itemAt(results, first);
    // Of two entries before the same result the longer one is read.
    if (start !== undefined)
      batches.set(first, batchFrom(prunables, start, first, anywhere ? start.packedBefore : end));
  }
  return [...batches.values()];
}

/** `kept`: tokens that are read, and not written again. */
function batchFrom(prunables: Prunables, start: Prunable, first: number, kept: number): Batch {
  const freed = prunables.freed - start.freedBefore;
  const readBefore = prunables.calls * start.freedBefore - start.writtenBefore;
  return { first, freed, read: prunables.read - readBefore, rewritten: prunables.end - kept - freed };
}

/** What is packed up to the end of the last span that so many blocks hold whole. */
function tokensBefore({ spans: { blocks, tokens } }: Prunables, held: number): number {
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
