// Sizes of the requests of a session, and of the same requests if no result had been pruned, or if no history had been
// compacted: how many tokens each has, and how many of them an earlier request begins with.

import type { Sequence } from '@tidemark/context';
import { itemAt, slice } from '@tidemark/context';
import type { Block } from '@tidemark/model';
import { contentKey } from '../carry-cost.ts';
import { sharedBlocks } from '../request.ts';

/** Tokens of a request, and those at its beginning that an earlier request has too. */
export interface RequestSize {
  readonly total: number;
  readonly shared: number;
}

/** Sizes of one request in three cases. */
export interface RequestSizes {
  readonly actual: RequestSize;
  readonly unpruned: RequestSize;
  readonly uncompacted: RequestSize;
  /**
   * Number of the earlier request that it is compared with: the last one with the same model and parameters, or else
   * the last one. Absent for the first request.
   */
  readonly earlier?: number;
}

/** One request of a stream. */
export interface SizedRequest {
  readonly sequence: Sequence;
  /** Input tokens, as the provider counted them. */
  readonly counted: number;
  /** True if the recording does not contain the front, so that its size is what the blocks do not explain. */
  readonly withoutFront: boolean;
}

/** A request that later ones are compared with. */
interface EarlierRequest {
  readonly number: number;
  readonly sequence: Sequence;
  /** Its blocks, and the tokens that pruning took from them, up to and including each one. */
  readonly keys: string[];
  readonly pruned: number[];
  /** Its part of the whole history. */
  readonly history: HistoryBeginning;
}

/**
 * Returns a function to be called with each request of a stream, in order. `isCheckpoint` returns true for a block of a
 * checkpoint.
 */
export function createSizeReader(isCheckpoint: (block: Block) => boolean): (request: SizedRequest) => RequestSizes {
  const earlier = new Map<string, EarlierRequest>();
  const firstSizes = new Map<string, number>();
  const history = createWholeHistory(isCheckpoint);
  let last: EarlierRequest | undefined;
  let number = -1;
  return ({ sequence, counted, withoutFront }) => {
    number += 1;
    const from = earlier.get(sequence.parameters.messages) ?? last;
    const same = from === undefined ? 0 : sharedLength(from.sequence, sequence);
    const estimated = tokensBefore(sequence, sequence.blocks.length);
    const front = withoutFront ? Math.max(0, counted - estimated) : 0;
    const scale = estimated === 0 ? 0 : (counted - front) / estimated;
    const scaled = ({ total, shared }: RequestSize): RequestSize => ({
      total: Math.round(front + total * scale),
      shared: from === undefined ? 0 : Math.round(front + shared * scale),
    });
    const actual = { total: estimated, shared: tokensBefore(sequence, same) };
    const unpruned = unprunedSize(sequence, same, from, firstSizes);
    const whole = history.add(sequence, from === undefined ? 0 : same, from?.history);
    last = { number, sequence, keys: unpruned.keys, pruned: unpruned.pruned, history: whole.part };
    earlier.set(sequence.parameters.messages, last);
    return {
      actual: scaled(actual),
      unpruned: scaled(unpruned),
      uncompacted: scaled(whole),
      ...(from !== undefined && { earlier: from.number }),
    };
  };
}

/** Returns the number of blocks that can be read from the cache, if the earlier request is in it. */
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

interface UnprunedSize extends RequestSize, Pick<EarlierRequest, 'keys' | 'pruned'> {}

/** Returns the size of a request in which each block has the size with which it was first sent. */
function unprunedSize(
  sequence: Sequence,
  same: number,
  from: EarlierRequest | undefined,
  firstSizes: Map<string, number>,
): UnprunedSize {
  const [old, keys, pruned] = [
    from?.keys ?? [],
    (from?.keys ?? []).slice(0, same),
    (from?.pruned ?? []).slice(0, same),
  ];
  for (const block of slice(sequence.blocks, same)) {
    const key = contentKey(block);
    const size = firstSizes.get(key) ?? block.tokens;
    firstSizes.set(key, size);
    keys.push(key);
    pruned.push((pruned.at(-1) ?? 0) + Math.max(0, size - block.tokens));
  }
  let equal = same;
  // A block that was only pruned is the same block in this case. Other parameters end the common beginning.
  if (from?.sequence.parameters.messages === sequence.parameters.messages)
    while (equal < old.length && equal < keys.length && old[equal] === keys[equal]) equal += 1;
  return {
    total: tokensBefore(sequence, keys.length) + (pruned.at(-1) ?? 0),
    shared: tokensBefore(sequence, equal) + (pruned[equal - 1] ?? 0),
    keys,
    pruned,
  };
}

/** Beginning of the whole history. A block in it that is pruned later ends it before this block. */
interface HistoryBeginning {
  length: number;
  tokens: number;
}

interface WholeHistory {
  /** Adds the blocks of a request, and returns its size with the whole history. */
  add(
    sequence: Sequence,
    same: number,
    from: HistoryBeginning | undefined,
  ): RequestSize & { readonly part: HistoryBeginning };
}

/** Creates the history with all blocks that were ever sent, in their order, without checkpoints. */
function createWholeHistory(isCheckpoint: (block: Block) => boolean): WholeHistory {
  const places = new Map<string, number>();
  const history: number[] = [];
  const parts = new Set<HistoryBeginning>();
  let tokens = 0;
  const change = (place: number, now: number): void => {
    tokens += now - (history[place] ?? 0);
    history[place] = now;
    for (const part of parts) {
      if (part.length <= place) continue;
      part.length = place;
      part.tokens = history.slice(0, place).reduce((all, one) => all + one, 0);
    }
  };
  return {
    add(sequence, same, from) {
      for (const block of slice(sequence.blocks, Math.max(same, sequence.front))) {
        if (isCheckpoint(block)) continue;
        const key = contentKey(block);
        const place = places.get(key) ?? history.length;
        places.set(key, place);
        if (history[place] !== block.tokens) change(place, block.tokens);
      }
      const front = tokensBefore(sequence, sequence.front);
      const isFrontSame = same >= sequence.front;
      const shared = isFrontSame ? front + (from?.tokens ?? 0) : tokensBefore(sequence, same);
      // The part of a request with the same parameters takes the place of the earlier one.
      if (from !== undefined && isFrontSame) parts.delete(from);
      const part = { length: history.length, tokens };
      parts.add(part);
      return { total: front + tokens, shared, part };
    },
  };
}
