// Prefix sequence: the render parameters of a request and its blocks in the provider's cache order, without markers.
// Inside an epoch the sequence only grows (L3). It is therefore stored, and only the new blocks are added.

import type { Block, Capabilities, Hash, LostFrom, NewHash, RenderParameters, Section } from '@tidemark/model';
import { canonicalText } from '@tidemark/log';
import type { AppendOnly } from '../base/append-only.ts';
import { append, appendOnly, itemAt } from '../base/append-only.ts';
import { utf8Length } from '../base/estimate.ts';

/**
 * Digests of the render parameters on which the cache of each section depends. The digest of a section also covers the
 * parameters of earlier sections.
 */
export type ParameterDigests = { readonly [section in Section]: string };

/** Block indices of a user turn: its first block, and its first thinking block if it has one. */
export interface TurnStart {
  readonly block: number;
  readonly thinking?: number;
}

/** A prefix sequence with its running digests and sums. */
export interface Sequence {
  readonly parameters: ParameterDigests;
  readonly blocks: AppendOnly<Block>;
  /** Running digest up to and including each block. */
  readonly prefixes: AppendOnly<string>;
  /** Running sum of the tokens of all blocks. */
  readonly tokens: AppendOnly<number>;
  /** Running sum of the tokens of thinking blocks. */
  readonly thinking: AppendOnly<number>;
  /**
   * Running sum of the tokens of blocks with images. Images are counted by their pixels, so the ratio for words does
   * not apply to them.
   */
  readonly media: AppendOnly<number>;
  readonly turns: AppendOnly<TurnStart>;
  readonly firstImage: number | undefined;
  /** Number of blocks in the front. */
  readonly front: number;
  /** Number of blocks per section. */
  readonly counts: { readonly [section in Section]: number };
  /** Size of all media in decoded bytes. */
  readonly mediaBytes: number;
  /** Beta headers that the blocks need, in ascending order. */
  readonly betas: readonly string[];
  readonly hash: Hash;
}

/**
 * Returns the digests of the render parameters by section. The catalog row names for each parameter the first section
 * whose cache depends on the parameter. A parameter without a rule affects all sections. A parameter with the default
 * of the provider is left out, because the provider caches it like a parameter that is not sent.
 */
export function parameterDigests(
  model: string,
  parameters: RenderParameters,
  { renderParameters, defaults = {} }: Pick<Capabilities, 'renderParameters' | 'defaults'>,
  newHash: NewHash,
): ParameterDigests {
  const levels = new Map(Object.entries(renderParameters));
  const usual = new Map<string, unknown>(Object.entries(defaults));
  const set = Object.entries(parameters).filter(([name, value]) => !usual.has(name) || usual.get(name) !== value);
  const of = (sections: readonly LostFrom[]): string => {
    const held = set.filter(([name]) => sections.includes(levels.get(name) ?? 'tools'));
    return newHash()
      .update(canonicalText(Object.fromEntries([['model', model], ...held])))
      .hex();
  };
  return { tools: of(['tools']), system: of(['tools', 'system']), messages: of(['tools', 'system', 'messages']) };
}

/** Returns a sequence that contains only a front. */
export function beginSequence(parameters: ParameterDigests, front: readonly Block[], newHash: NewHash): Sequence {
  const empty: Sequence = {
    parameters,
    blocks: appendOnly(),
    prefixes: appendOnly(),
    tokens: appendOnly(),
    thinking: appendOnly(),
    media: appendOnly(),
    // A history may begin without a prompt, so the blocks before the first prompt also form a turn.
    turns: appendOnly([{ block: 0 }]),
    firstImage: undefined,
    front: 0,
    counts: { tools: 0, system: 0, messages: 0 },
    mediaBytes: 0,
    betas: [],
    hash: newHash(),
  };
  return { ...extendSequence(empty, front), front: front.length };
}

/** Returns the sequence with more blocks at its end. */
export function extendSequence(sequence: Sequence, blocks: readonly Block[]): Sequence {
  return blocks.reduce(withBlock, { ...sequence, hash: sequence.hash.copy() });
}

function withBlock(sequence: Sequence, block: Block): Sequence {
  const index = sequence.blocks.length;
  const previous = itemAt(sequence.blocks, -1);
  sequence.hash.update(envelope(previous, block)).update(block.head).update(block.tail);
  const thinks = block.holds === 'thinking';
  return {
    ...sequence,
    blocks: append(sequence.blocks, block),
    prefixes: append(sequence.prefixes, sequence.hash.copy().hex()),
    tokens: append(sequence.tokens, (itemAt(sequence.tokens, -1) ?? 0) + block.tokens),
    thinking: append(sequence.thinking, (itemAt(sequence.thinking, -1) ?? 0) + (thinks ? block.tokens : 0)),
    media: append(sequence.media, mediaUpTo(sequence, index - 1) + (block.mediaBytes > 0 ? block.tokens : 0)),
    turns: withTurn(sequence.turns, index, previous, block),
    counts: { ...sequence.counts, [block.section]: sequence.counts[block.section] + 1 },
    mediaBytes: sequence.mediaBytes + block.mediaBytes,
    betas: withBetas(sequence.betas, block.betas),
    firstImage: sequence.firstImage ?? (block.mediaBytes > 0 ? index : undefined),
  };
}

function withBetas(known: readonly string[], needed: readonly string[] = []): readonly string[] {
  const more = needed.filter((beta) => !known.includes(beta));
  return more.length === 0 ? known : [...known, ...more].toSorted();
}

/**
 * Returns the text that is hashed between two blocks. It marks the beginning of a message, because message boundaries
 * are part of the prefix.
 */
function envelope(previous: Block | undefined, block: Block): string {
  const joins = previous?.section === block.section && previous.role === block.role && previous.group === block.group;
  return `\n${block.section} ${block.role}${joins ? '' : ' +'} ${block.head.length + block.tail.length}:`;
}

function withTurn(
  turns: AppendOnly<TurnStart>,
  index: number,
  previous: Block | undefined,
  block: Block,
): AppendOnly<TurnStart> {
  if (beginsTurn(previous, block)) return append(turns, { block: index });
  const turn = itemAt(turns, -1);
  if (block.holds !== 'thinking' || turn === undefined || turn.thinking !== undefined) return turns;
  return { buffer: [...turns.buffer.slice(0, turns.length - 1), { ...turn, thinking: index }], length: turns.length };
}

/**
 * Returns true if a user turn begins with this block. Notes and a prompt that follow each other begin one turn
 * together. Only the first block of such a group begins the turn.
 */
export function beginsTurn(previous: Block | undefined, block: Block): boolean {
  return block.opensTurn && !(previous?.opensTurn === true && previous.role === block.role);
}

/** Returns the start of the last turn in the first `blocks` blocks, or block 0 if no turn begins there. */
export function turnStartOf(sequence: Sequence, blocks: number = sequence.blocks.length): TurnStart {
  for (let index = sequence.turns.length - 1; index >= 0; index -= 1) {
    const turn = itemAt(sequence.turns, index);
    if (turn !== undefined && turn.block < blocks) return turn;
  }
  return { block: 0 };
}

/**
 * Returns the tokens up to and including a block, in a request that contains the first `of` blocks. If `strips` is
 * true, thinking before the last turn of the request is not counted.
 */
export function tokensUpTo(
  sequence: Sequence,
  block: number,
  strips: boolean,
  of: number = sequence.blocks.length,
): number {
  const all = block < 0 ? 0 : (itemAt(sequence.tokens, block) ?? 0);
  if (!strips) return all;
  const last = Math.min(block, turnStartOf(sequence, of).block - 1);
  return all - (last < 0 ? 0 : (itemAt(sequence.thinking, last) ?? 0));
}

/** Returns the tokens of blocks with images, up to and including a block. */
export function mediaUpTo(sequence: Sequence, block: number): number {
  return block < 0 ? 0 : (itemAt(sequence.media, block) ?? 0);
}

/** First difference between two sequences: in the parameters of a section, or in a block. */
export type Divergence =
  | { readonly at: 'parameters'; readonly section: Section }
  | { readonly at: number; readonly was: Block | undefined; readonly is: Block | undefined; readonly byte: number };

/**
 * Returns the first difference between a request and the previous request on its stream (L3). If a section has other
 * parameters, it returns this section. Otherwise it returns the first block that differs and the first different byte
 * in that block. Returns `undefined` if the request only adds blocks.
 */
export function firstDivergence(before: Sequence, after: Sequence): Divergence | undefined {
  for (const section of ['tools', 'system', 'messages'] as const) {
    if (before.parameters[section] !== after.parameters[section]) return { at: 'parameters', section };
  }
  const index = firstDifferentPrefix(before.prefixes, after.prefixes);
  if (index === undefined) return undefined;
  const was = itemAt(before.blocks, index);
  const is = itemAt(after.blocks, index);
  return { at: index, was, is, byte: firstDifferentByte(was, is) };
}

/** Finds the first different block by binary search. From that block on, all running digests differ. */
function firstDifferentPrefix(before: AppendOnly<string>, after: AppendOnly<string>): number | undefined {
  let low = 0;
  let high = before.length;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (itemAt(before, middle) === itemAt(after, middle)) low = middle + 1;
    else high = middle;
  }
  return low === before.length ? undefined : low;
}

function firstDifferentByte(was: Block | undefined, is: Block | undefined): number {
  const a = was === undefined ? '' : was.head + was.tail;
  const b = is === undefined ? '' : is.head + is.tail;
  let index = 0;
  while (index < a.length && index < b.length && a[index] === b[index]) index += 1;
  return utf8Length(a.slice(0, index));
}
