// Sizes of the requests of a session, and of the same requests if no result had been pruned, or if no history had been
// compacted: how many tokens each has, and how many of them the request before begins with.

import type { Sequence } from '@tidemark/context';
import { itemAt, slice } from '@tidemark/context';
import type { Block } from '@tidemark/model';
import { contentKey } from '../carry-cost.ts';
import { sharedBlocks } from '../request.ts';

/** Tokens of a request, and those at its beginning that the request before has too. */
export interface RequestSize {
  readonly total: number;
  readonly shared: number;
}

/** Sizes of one request in three cases. */
export interface RequestSizes {
  readonly actual: RequestSize;
  readonly unpruned: RequestSize;
  readonly uncompacted: RequestSize;
}

/** One request of a stream. */
export interface SizedRequest {
  readonly sequence: Sequence;
  /** Input tokens, as the provider counted them. */
  readonly counted: number;
  /** True if the recording does not contain the front, so that its size is what the blocks do not explain. */
  readonly withoutFront: boolean;
}

/** Returns a function to be called with each request of a stream, in order. `isCheckpoint` is true for blocks of checkpoints. */
export function createSizeReader(isCheckpoint: (block: Block) => boolean): (request: SizedRequest) => RequestSizes {
  const cases = [actualCase(), unprunedCase(), uncompactedCase(isCheckpoint)] as const;
  let before: Sequence | undefined;
  return ({ sequence, counted, withoutFront }) => {
    const same = before === undefined ? 0 : sharedLength(before, sequence);
    const estimated = tokensBefore(sequence, sequence.blocks.length);
    const front = withoutFront ? Math.max(0, counted - estimated) : 0;
    const scale = estimated === 0 ? 0 : (counted - front) / estimated;
    const isFirst = before === undefined;
    before = sequence;
    const [actual, unpruned, uncompacted] = cases.map((read) => {
      const { total, shared } = read(sequence, same);
      return {
        total: Math.round(front + total * scale),
        shared: isFirst ? 0 : Math.round(front + shared * scale),
      };
    });
    if (actual === undefined || unpruned === undefined || uncompacted === undefined)
      throw new TypeError('there are three cases');
    return { actual, unpruned, uncompacted };
  };
}

/** Returns estimated tokens of a request. `same` is the number of equal blocks at the beginning of it and the one before. */
type ReadSize = (sequence: Sequence, same: number) => RequestSize;

/** Returns the number of blocks that can be read from the cache, if the request before is in it. */
function sharedLength(before: Sequence, sequence: Sequence): number {
  const { parameters: old } = before;
  const { parameters, counts, front } = sequence;
  const same = sharedBlocks(before, sequence);
  if (old.tools !== parameters.tools) return 0;
  if (old.system !== parameters.system) return Math.min(same, counts.tools);
  return old.messages === parameters.messages ? same : Math.min(same, front);
}

function tokensBefore({ tokens }: Sequence, block: number): number {
  return block === 0 ? 0 : (itemAt(tokens, block - 1) ?? 0);
}

function actualCase(): ReadSize {
  return (sequence, same) => ({
    total: tokensBefore(sequence, sequence.blocks.length),
    shared: tokensBefore(sequence, same),
  });
}

/** Each block has the size with which it was first sent. */
function unprunedCase(): ReadSize {
  const sizes = new Map<string, number>();
  let keys: string[] = [];
  /** Additional tokens up to and including each block. */
  let added: number[] = [];
  return (sequence, same) => {
    const old = keys.slice(same);
    keys = keys.slice(0, same);
    added = added.slice(0, same);
    for (const block of slice(sequence.blocks, same)) {
      const key = contentKey(block);
      const size = sizes.get(key) ?? block.tokens;
      sizes.set(key, size);
      keys.push(key);
      added.push((added.at(-1) ?? 0) + Math.max(0, size - block.tokens));
    }
    let equal = same;
    // A block that was only pruned is the same block in this case.
    while (equal - same < old.length && equal < keys.length && old[equal - same] === keys[equal]) equal += 1;
    return {
      total: tokensBefore(sequence, keys.length) + (added.at(-1) ?? 0),
      shared: tokensBefore(sequence, equal) + (added[equal - 1] ?? 0),
    };
  };
}

/** The history has all blocks that were ever sent, in their order, and no checkpoint. */
function uncompactedCase(isCheckpoint: (block: Block) => boolean): ReadSize {
  const places = new Map<string, number>();
  const history: number[] = [];
  let sum = 0;
  return (sequence, same) => {
    let [firstChange, length, before] = [history.length, history.length, sum];
    for (const block of slice(sequence.blocks, Math.max(same, sequence.front))) {
      if (isCheckpoint(block)) continue;
      const key = contentKey(block);
      const place = places.get(key) ?? history.length;
      const known = history[place];
      if (known === block.tokens) continue;
      if (place < length) firstChange = Math.min(firstChange, place);
      places.set(key, place);
      history[place] = block.tokens;
      sum += block.tokens - (known ?? 0);
    }
    const front = tokensBefore(sequence, sequence.front);
    if (same < sequence.front) return { total: front + sum, shared: tokensBefore(sequence, same) };
    if (firstChange < length) {
      before = history.slice(0, firstChange).reduce((all, one) => all + one, 0);
      length = firstChange;
    }
    return { total: front + sum, shared: front + before };
  };
}
