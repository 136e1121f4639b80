// How many tokens a request has up to each of its blocks: as the provider counted them where it did, else estimated, words at
// the ratio that its counts have taught and images by their pixels.

import type { CallForecast } from '@tidemark/log';
import { itemAt } from './append-only.ts';
import type { Lookup } from './entries.ts';
import { unreadable } from './entries.ts';
import type { Ratio } from './ratio.ts';
import { applyRatio } from './ratio.ts';
import { mediaUpTo, tokensUpTo } from './sequence.ts';
import type { Accepted, Entry } from './state.ts';

/** What sizes are known from. */
export interface SizeInput {
  readonly lookup: Lookup;
  /** The last accepted request that this one goes on from: what was measured. */
  readonly accepted: Accepted | undefined;
  /** The model that is asked, as its epoch names it. */
  readonly model: string;
  /** What usage has taught of its requests as a whole: used where it counted none of these blocks. */
  readonly ratio: Ratio;
  /** `recorded`: the blocks' sizes are known, and nothing is to be learnt from what was measured. */
  readonly sizes?: 'estimated' | 'recorded';
}

/** What was counted of words in the last call against what is estimated of the same blocks; else what all calls have taught. */
export function scaleOf(input: SizeInput): number {
  if (input.sizes === 'recorded') return 1;
  const { actual, estimated } = input.ratio;
  return countedScale(input) ?? actual / estimated;
}

function countedScale({ lookup: { sequence, capabilities }, accepted, model, ratio }: SizeInput): number | undefined {
  if (!accepted?.input) return undefined;
  // Another model's count is better than a guess, and worse than what this one has taught.
  if (accepted.model !== model && ratio.samples > 0) return undefined;
  const { blocks, digest } = accepted.prepared.sequence;
  if (itemAt(sequence.prefixes, blocks - 1) !== digest) return undefined;
  const estimated = tokensUpTo(sequence, blocks - 1, capabilities.thinkingStripped === 'at-new-turn', blocks);
  const images = mediaUpTo(sequence, blocks - 1);
  // Less than its images: the provider counted those by another rule, and words alone tell nothing.
  if (accepted.input <= images || estimated <= images) return estimated === 0 ? undefined : accepted.input / estimated;
  return (accepted.input - images) / (estimated - images);
}

/** How far off estimates at the learnt ratio have been; nothing where the size was counted or recorded. */
export function errorOf(input: SizeInput): Pick<CallForecast, 'error'> {
  const { error } = applyRatio(input.ratio, 0);
  return input.sizes === 'recorded' || error === undefined || countedScale(input) !== undefined ? {} : { error };
}

/** Tokens up to and including a block: measured where a call measured them, else estimated at the ratio learnt from it. */
export function sizeByBlock(input: SizeInput): (block: number) => number {
  const { sequence, capabilities } = input.lookup;
  const strips = capabilities.thinkingStripped === 'at-new-turn';
  const scale = scaleOf(input);
  const known = knownEnd(input);
  return (block) =>
    known !== undefined && block === known.block
      ? known.tokens
      : scaled(tokensUpTo(sequence, block, strips), mediaUpTo(sequence, block), scale);
}

function scaled(tokens: number, images: number, scale: number): number {
  return Math.round((tokens - images) * scale) + images;
}

/** The end of the last accepted request, whose size the provider told. */
function knownEnd({
  lookup,
  accepted,
  sizes,
}: SizeInput): { readonly block: number; readonly tokens: number } | undefined {
  if (sizes === 'recorded' || !accepted?.cached) return undefined;
  const { left, end, prepared, input, cached } = accepted;
  // On a grid the entry ends before its block does.
  const tokens = prepared.kept?.grid === undefined ? cached : input;
  if (left === undefined || end === undefined || tokens === undefined) return undefined;
  // What a side call left further on says nothing of the thinking that this request showed.
  const prefix = itemAt(lookup.sequence.prefixes, end) ?? '';
  const own: Entry = { ...left, block: end, prefix, of: prepared.sequence.blocks, beside: false };
  return [left, own].some((entry) => unreadable(entry, lookup) !== undefined) ? undefined : { block: end, tokens };
}
