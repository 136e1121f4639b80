// Computes the tokens of a request up to each of its blocks. If the provider has counted a block, its count is used;
// the other blocks are estimated. An image is estimated by its pixels. Words are estimated and multiplied by the scale
// of their text. The scale is a ratio learnt from the provider's counts.

import type { CallForecast } from '@tidemark/log';
import type { AppendOnly } from '../base/append-only.ts';
import { itemAt } from '../base/append-only.ts';
import type { Lookup } from './entries.ts';
import { unreadable } from './entries.ts';
import type { Ratio, Scales } from '../state/scales.ts';
import { applyRatio, scaleOfText } from '../state/scales.ts';
import { mediaUpTo, tokensUpTo, turnStartOf } from './sequence.ts';
import type { Accepted, CacheEntry } from '../state/state.ts';

/** Inputs from which sizes are computed. */
export interface SizeInput {
  readonly lookup: Lookup;
  /** Last accepted request that this request continues from, with its measured sizes. */
  readonly accepted: Accepted | undefined;
  /** Model of the request, as named by its epoch. */
  readonly model: string;
  /**
   * Ratio of real tokens to estimated tokens, learnt from usage. It applies to text that the provider has not counted.
   */
  readonly ratio: Ratio;
  /**
   * Ratios of real tokens to estimated tokens for text that the provider has counted. Absent before the first count.
   */
  readonly scales?: Scales | undefined;
  /**
   * Span ordinal of each block, -1 for blocks of the front. If absent, blocks of messages are treated as never counted.
   */
  readonly ordinals?: AppendOnly<number>;
  /** Entries that this request can read. Some of them have a counted size. */
  readonly readable?: readonly CacheEntry[];
  /**
   * `estimated` (the default): the block sizes are estimates, and measured sizes replace them where they exist.
   * `recorded`: the block sizes are exact, and measured sizes are not used.
   */
  readonly sizes?: 'estimated' | 'recorded';
}

interface CountedPrefix {
  /** Last block of the prefix. */
  readonly block: number;
  readonly tokens: number;
}

/**
 * Returns the factor that converts the estimated tokens of a block's words to the model's tokens. The factor is 1 if
 * the sizes are recorded.
 */
export function scaleAt({ scales, ordinals, model, ratio, sizes, lookup }: SizeInput, block: number): number {
  if (sizes === 'recorded') return 1;
  const ordinal = block < lookup.sequence.front ? -1 : ordinals && itemAt(ordinals, block);
  return scaleOfText({ scales, ratio, model }, ordinal);
}

/**
 * Returns the end of the last accepted request, if that request is still a counted prefix of this request. Three
 * conditions must hold: the model is the same, no block was edited, and the provider did not strip thinking after that
 * request. Otherwise returns `undefined`.
 */
export function countedEnd({ lookup, accepted, model, sizes }: SizeInput): CountedPrefix | undefined {
  if (sizes === 'recorded' || !accepted?.input || accepted.model !== model) return undefined;
  const { sequence, capabilities } = lookup;
  const { blocks, digest } = accepted.prepared.sequence;
  if (itemAt(sequence.prefixes, blocks - 1) !== digest) return undefined;
  const strips = capabilities.thinkingStripped === 'at-new-turn';
  const then = tokensUpTo(sequence, blocks - 1, strips, blocks);
  return tokensUpTo(sequence, blocks - 1, strips) === then ? { block: blocks - 1, tokens: accepted.input } : undefined;
}

/**
 * Estimated tokens of the blocks of a request, as stored in its record, before any scale is applied. `whole` covers all
 * blocks. `since` covers the blocks after a counted request. `media` is the part for images: the part of `since`, or of
 * `whole` if `since` is absent.
 */
export interface BlockSizes {
  readonly whole: number;
  readonly since?: number;
  readonly media?: number;
}

/**
 * Returns the estimated tokens of the request. `since` is absent if the request does not continue from a counted
 * request, and `media` is absent if it is 0.
 */
export function blockSizes(input: SizeInput): BlockSizes {
  const { sequence, capabilities } = input.lookup;
  const strips = capabilities.thinkingStripped === 'at-new-turn';
  const last = sequence.blocks.length - 1;
  const whole = tokensUpTo(sequence, last, strips);
  const from = countedEnd(input);
  const media = mediaUpTo(sequence, last) - mediaUpTo(sequence, from?.block ?? -1);
  return {
    whole,
    ...(from === undefined ? {} : { since: whole - tokensUpTo(sequence, from.block, strips) }),
    ...(media === 0 ? {} : { media }),
  };
}

/**
 * Returns the error that was observed for estimates with the learnt ratio. Returns an empty object in three cases: no
 * error is known, the request continues from a counted request, or its size is recorded.
 */
export function errorOf(input: SizeInput): Pick<CallForecast, 'error'> {
  const { error } = applyRatio(input.ratio, 0);
  return input.sizes === 'recorded' || error === undefined || countedEnd(input) !== undefined ? {} : { error };
}

/**
 * Returns a function that computes the tokens up to and including a block. If a measured size exists for the block, it
 * is the result. Otherwise the result is the nearest earlier measured size plus an estimate of the blocks in between.
 */
export function sizeByBlock(input: SizeInput): (block: number) => number {
  const known = knownEnds(input);
  const sizes = new Map<number, number>();
  return (block) => {
    const held = sizes.get(block);
    if (held !== undefined) return held;
    const from = known.findLast((one) => one.block <= block) ?? { block: -1, tokens: 0 };
    const size = from.tokens + sizeBetween(input, from.block, block);
    sizes.set(block, size);
    return size;
  };
}

/**
 * Returns the estimated tokens of the blocks after `after`, up to and including `to`. Stripped thinking is not counted.
 */
function sizeBetween(input: SizeInput, after: number, to: number): number {
  const { sequence, capabilities } = input.lookup;
  const shown = capabilities.thinkingStripped === 'at-new-turn' ? turnStartOf(sequence).block : 0;
  let words = 0;
  let images = 0;
  for (let index = after + 1; index <= to; index += 1) {
    const block = itemAt(sequence.blocks, index);
    if (block === undefined || (block.holds === 'thinking' && index < shown)) continue;
    if (block.mediaBytes > 0) images += block.tokens;
    else words += block.tokens * scaleAt(input, index);
  }
  return Math.round(words) + images;
}

/** Returns the prefixes whose size the provider counted, in ascending order of their last block. */
function knownEnds(input: SizeInput): readonly CountedPrefix[] {
  if (input.sizes === 'recorded') return [];
  const read = (input.readable ?? []).flatMap(({ block, tokens }) => (tokens === undefined ? [] : [{ block, tokens }]));
  const own = [markedEnd(input), countedEnd(input)].filter((one) => one !== undefined);
  return [...read, ...own].toSorted((a, b) => a.block - b.block);
}

/**
 * Returns the cached part of the last accepted request. The provider counted the size of this part. Returns `undefined`
 * if this request cannot read that part.
 */
function markedEnd({ lookup, accepted }: SizeInput): CountedPrefix | undefined {
  if (!accepted?.cached) return undefined;
  const { left, end, prepared, input, cached } = accepted;
  // If the provider caches on a grid of tokens, the cached part ends inside a block. The counted input of the request
  // is used as the size up to the end of the block.
  const tokens = prepared.kept?.grid === undefined ? cached : input;
  if (left === undefined || end === undefined || tokens === undefined) return undefined;
  // `left` may be an entry that a side call wrote at a later block. Such an entry does not show which thinking the
  // accepted request contained. An entry at the end of the accepted request is therefore checked too.
  const prefix = itemAt(lookup.sequence.prefixes, end) ?? '';
  const own: CacheEntry = { ...left, block: end, prefix, of: prepared.sequence.blocks, beside: false };
  return [left, own].some((entry) => unreadable(entry, lookup) !== undefined) ? undefined : { block: end, tokens };
}
