// Plans the use of a cache without markers. The provider's rules determine where its entries end: after every `step`
// tokens (a grid), or at message ends.

import { defined } from '@tidemark/core';
import type { Block, Capabilities, Usage } from '@tidemark/model';
import { itemAt } from '../base/append-only.ts';
import type { CacheEntry } from '../state/state.ts';
import { keptLife } from './plan.ts';
import type { Sequence } from './sequence.ts';

/**
 * Input of `planKeeping`. In a cache without markers, a request cannot choose where entries end. Their ends are known
 * only from the provider's published rules in the catalog row.
 */
export interface KeepingInput {
  readonly sequence: Sequence;
  readonly capabilities: Capabilities;
  /** Live entries with the same bytes as this request, with the shortest prefix first. */
  readonly readable: readonly CacheEntry[];
  /** Blocks that this request marks. */
  readonly marked: readonly number[];
  /**
   * Set for a side call. The last message of a side call contains the text that the call adds. No later request repeats
   * this text.
   */
  readonly beside?: boolean;
}

/** Entries that a request reads and leaves in a cache without markers. */
export interface Keeping {
  /** Entry that is read. */
  readonly hit: CacheEntry | undefined;
  /** Blocks at which entries end, in block order. `found` is set if the entry is only read, not written. */
  readonly places: readonly { readonly block: number; readonly found?: true }[];
}

/**
 * Plans the entries that a request reads and leaves. Returns `undefined` if the catalog row has no rule for caching
 * without markers.
 */
export function planKeeping(input: KeepingInput): Keeping | undefined {
  const { implicit } = input.capabilities;
  if (implicit === undefined) return undefined;
  return implicit.at === 'endings' ? atEndings(input, implicit.lookup) : onGridPoints(input);
}

/**
 * Plans a request for a provider with entries at message ends. The request leaves an entry at its latest possible end.
 * An entry can end after a user message or after a run of results. Marked blocks have separate entries, so they are not
 * in `places`.
 */
export function atEndings({ sequence, readable, marked }: KeepingInput, lookup: number): Keeping {
  const endings = latestEndings(sequence, lookup + 1);
  const [end] = endings;
  const opening = openingEnd(sequence);
  const hit = readable.findLast(({ block }) => endings.includes(block) || block === opening || marked.includes(block));
  const found = hit === undefined || hit.block === end || marked.includes(hit.block) ? [] : [hit.block];
  return {
    hit,
    places: [
      ...found.map((block) => ({ block, found: true as const })),
      ...(end === undefined || marked.includes(end) ? [] : [{ block: end }]),
    ],
  };
}

/**
 * Plans a request for a provider with entries on a grid. Every grid point is an entry. The places are therefore the
 * blocks at which a later request may differ: the ends of the tools, of each system text, of the history before a side
 * call's text, and of the request. If a later request differs inside one of these parts, it reads more than the
 * forecast.
 */
export function onGridPoints({ sequence, readable, beside }: KeepingInput): Keeping {
  const { tools } = sequence.counts;
  const last = sequence.blocks.length - 1;
  const front = Array.from({ length: sequence.front }, (_, block) => block).filter((block) => block >= tools - 1);
  const before = beside === true ? [beforeLastMessage(sequence)] : [];
  const blocks = new Set([...front, ...before, last].filter((block) => block >= 0));
  return { hit: readable.at(-1), places: [...blocks].toSorted((a, b) => a - b).map((block) => ({ block })) };
}

export function beforeLastMessage({ blocks }: Sequence): number {
  const group = itemAt(blocks, -1)?.group;
  let index = blocks.length - 1;
  while (index >= 0 && itemAt(blocks, index)?.group === group) index -= 1;
  return index;
}

/** Input tokens of one request by bucket, and the tokens that are in the cache after it. */
export interface ImplicitBuckets {
  readonly read: number;
  readonly written: number;
  /** Written tokens by lifetime. Absent if no lifetime is known. */
  readonly writes?: NonNullable<Usage['writes']>;
  /** Tokens that are in the cache after the request is answered. */
  readonly held: number;
}

/** Input of `keptAccount`: one request and the entry that it reads. */
export interface KeptInput extends Omit<KeepingInput, 'readable'>, Pick<Keeping, 'hit'> {
  /**
   * Length of the common beginning of the first changed block and the cached block at the same place, in tokens. A
   * provider that caches on a grid reads these tokens too.
   */
  readonly beginning?: number;
}

/**
 * Returns the tokens that a request reads, writes and leaves in the cache. `size` returns the tokens of the prefix up
 * to a block.
 */
export function keptAccount(
  { sequence, capabilities, marked, hit, beginning = 0 }: KeptInput,
  size: (block: number) => number,
): ImplicitBuckets {
  const { implicit, floor = 0 } = capabilities;
  const found = hit === undefined ? 0 : size(hit.block);
  if (implicit?.at === 'grid') {
    const total = size(sequence.blocks.length - 1);
    return { read: onGrid(found + beginning, implicit), written: 0, writes: [], held: onGrid(total, implicit) };
  }
  const end = Math.max(latestEndings(sequence, 1)[0] ?? -1, ...marked);
  const cached = end < 0 || size(end) < floor ? 0 : size(end);
  const held = Math.max(found, cached);
  const ttl = keptLife(capabilities);
  const written = held - found;
  return defined({ read: found, written, held, writes: ttl === undefined ? undefined : [{ ttl, tokens: written }] });
}

/**
 * Sizes of the entries of a provider that caches on a grid: `first`, `first + step`, … tokens. An entry may end inside
 * a block.
 */
export interface Grid {
  readonly first: number;
  readonly step: number;
}

/** Returns the size of the longest entry in a prefix of `tokens` tokens; 0 if the prefix contains no entry. */
export function onGrid(tokens: number, { first, step }: Grid): number {
  return tokens < first ? 0 : tokens - ((tokens - first) % step);
}

/**
 * Returns the blocks of the latest `most` message ends, latest first. A provider may look for entries there: at the
 * ends of user messages and of runs of results (provider facts 2.2). The provider also looks at the end of the
 * developer's opening, which `openingEnd` returns.
 */
export function latestEndings(sequence: Sequence, most: number): readonly number[] {
  const found: number[] = [];
  for (let index = sequence.blocks.length - 1; index >= sequence.front && found.length < most; index -= 1) {
    if (isEnding(itemAt(sequence.blocks, index), itemAt(sequence.blocks, index + 1))) found.push(index);
  }
  return found;
}

/**
 * Returns the last block of the developer's opening: the system and developer text before the first message of another
 * role. Returns `undefined` if the request has no such text.
 */
export function openingEnd(sequence: Sequence): number | undefined {
  let index = sequence.counts.tools;
  while (isDeveloper(itemAt(sequence.blocks, index))) index += 1;
  return index === sequence.counts.tools ? undefined : index - 1;
}

export function isDeveloper(block: Block | undefined): boolean {
  return isContent(block) && (block?.role === 'system' || block?.role === 'developer');
}

export function isEnding(block: Block | undefined, next: Block | undefined): boolean {
  if (block === undefined) return false;
  if (block.holds === 'result') return next?.holds !== 'result';
  if (block.role !== 'user' || !isContent(block)) return false;
  return !(isContent(next) && next?.role === 'user' && next.group === block.group);
}

/** Returns true if a block is text or an image. Such blocks share a message with their neighbours. */
export function isContent(block: Block | undefined): boolean {
  return block?.holds === 'text' || block?.holds === 'image';
}
