// How many tokens a request has up to each of its blocks: as the provider counted them where it did; else estimated, the words of
// each block at the scale at which its text was counted, and images by their pixels.

import type { CallForecast } from '@tidemark/log';
import type { AppendOnly } from '../base/append-only.ts';
import { itemAt } from '../base/append-only.ts';
import type { Lookup } from './entries.ts';
import { unreadable } from './entries.ts';
import type { Ratio, Scales } from '../state/scales.ts';
import { applyRatio, scaleOfText } from '../state/scales.ts';
import { mediaUpTo, tokensUpTo, turnStartOf } from './sequence.ts';
import type { Accepted, CacheEntry } from '../state/state.ts';

/** What sizes are known from. */
export interface SizeInput {
  readonly lookup: Lookup;
  /** The last accepted request that this one goes on from: what was measured. */
  readonly accepted: Accepted | undefined;
  /** The model that is asked, as its epoch names it. */
  readonly model: string;
  /** What usage has taught of text that was not counted itself. */
  readonly ratio: Ratio;
  /** The scales of text that was counted; absent before the first count. */
  readonly scales?: Scales | undefined;
  /** The ordinal of the span of each block, -1 in the front. Without it no block is known to have been counted. */
  readonly ordinals?: AppendOnly<number>;
  /** Entries that this request can read. Some of them were counted. */
  readonly readable?: readonly CacheEntry[];
  /** `recorded`: the blocks' sizes are known, and nothing is to be learnt from what was measured. */
  readonly sizes?: 'estimated' | 'recorded';
}

/** A prefix that the provider counted. */
interface CountedPrefix {
  /** Its last block. */
  readonly block: number;
  readonly tokens: number;
}

/** The scale of a block's words. */
export function scaleAt({ scales, ordinals, model, ratio, sizes, lookup }: SizeInput, block: number): number {
  if (sizes === 'recorded') return 1;
  const ordinal = block < lookup.sequence.front ? -1 : ordinals && itemAt(ordinals, block);
  return scaleOfText({ scales, ratio, model }, ordinal);
}

/**
 * The end of the last accepted request, where it is the beginning of this one as the same model counted it: no edit since, and no
 * thinking that the provider strips by now.
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

/** Estimated tokens of the blocks of a request, as its record holds them: before any scale. */
export interface BlockSizes {
  readonly whole: number;
  readonly since?: number;
  readonly media?: number;
}

/** The sizes of all blocks, and of those behind the last counted request where this one goes on from it. */
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

/** How far off estimates at the learnt ratio have been; nothing where the request goes on from a counted one, or its size was recorded. */
export function errorOf(input: SizeInput): Pick<CallForecast, 'error'> {
  const { error } = applyRatio(input.ratio, 0);
  return input.sizes === 'recorded' || error === undefined || countedEnd(input) !== undefined ? {} : { error };
}

/** Tokens up to and including a block: measured where a call measured them, else estimated behind the last measured end before it. */
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

/** Tokens of the blocks behind one, up to and including another. */
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

/** Ends whose size the provider told, ascending by block. */
function knownEnds(input: SizeInput): readonly CountedPrefix[] {
  if (input.sizes === 'recorded') return [];
  const read = (input.readable ?? []).flatMap(({ block, tokens }) => (tokens === undefined ? [] : [{ block, tokens }]));
  const own = [markedEnd(input), countedEnd(input)].filter((one) => one !== undefined);
  return [...read, ...own].toSorted((a, b) => a.block - b.block);
}

/** The end of what the last accepted request left cached, whose size the provider told. */
function markedEnd({ lookup, accepted }: SizeInput): CountedPrefix | undefined {
  if (!accepted?.cached) return undefined;
  const { left, end, prepared, input, cached } = accepted;
  // On a grid the entry ends before its block does.
  const tokens = prepared.kept?.grid === undefined ? cached : input;
  if (left === undefined || end === undefined || tokens === undefined) return undefined;
  // What a side call left further on says nothing of the thinking that this request showed.
  const prefix = itemAt(lookup.sequence.prefixes, end) ?? '';
  const own: CacheEntry = { ...left, block: end, prefix, of: prepared.sequence.blocks, beside: false };
  return [left, own].some((entry) => unreadable(entry, lookup) !== undefined) ? undefined : { block: end, tokens };
}
