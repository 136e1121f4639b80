// Caches that work by themselves: where a request finds an entry and leaves others, and what of it is then read and written.
// No entry is asked for, so none is known but by the provider's published rules, which the catalog row holds.

import type { Capabilities, Usage, Block } from '@tidemark/model';
import { itemAt } from '../base/append-only.ts';
import { keptLife } from './plan.ts';
import type { Sequence } from './sequence.ts';
import type { CacheEntry } from '../state/state.ts';

/** What is planned from. */
export interface KeepingInput {
  readonly sequence: Sequence;
  readonly capabilities: Capabilities;
  /** Entries of the same bytes that live, shortest first. */
  readonly readable: readonly CacheEntry[];
  /** Blocks that this request marks. */
  readonly marked: readonly number[];
  /** Set for a side call: its own words are its last message. */
  readonly beside?: boolean;
}

/** Where a request finds and leaves entries. */
export interface Keeping {
  /** The entry that is read. */
  readonly hit: CacheEntry | undefined;
  /** In block order; `found` where it is read alone. */
  readonly places: readonly { readonly block: number; readonly found?: true }[];
}

/** Where entries are found and left; `undefined` where no rule is known. */
export function planKeeping(input: KeepingInput): Keeping | undefined {
  const { implicit } = input.capabilities;
  if (implicit === undefined) return undefined;
  return implicit.at === 'endings' ? atEndings(input, implicit.lookup) : onGridPoints(input);
}

/** The entry is at the latest eligible ending; marks are entries of their own, and no places. */
function atEndings({ sequence, readable, marked }: KeepingInput, lookup: number): Keeping {
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
 * Any point of the grid is an entry. Where a later request may part from this one is a place: the ends of the tools, of each
 * system text, of the history before a side call's words, of all. One that parts inside of these reads more than is said.
 */
function onGridPoints({ sequence, readable, beside }: KeepingInput): Keeping {
  const { tools } = sequence.counts;
  const last = sequence.blocks.length - 1;
  const front = Array.from({ length: sequence.front }, (_, block) => block).filter((block) => block >= tools - 1);
  const before = beside === true ? [beforeLastMessage(sequence)] : [];
  const blocks = new Set([...front, ...before, last].filter((block) => block >= 0));
  return { hit: readable.at(-1), places: [...blocks].toSorted((a, b) => a - b).map((block) => ({ block })) };
}

function beforeLastMessage({ blocks }: Sequence): number {
  const group = itemAt(blocks, -1)?.group;
  let index = blocks.length - 1;
  while (index >= 0 && itemAt(blocks, index)?.group === group) index -= 1;
  return index;
}

/** The input of one request in its buckets, and what of it the cache then holds. */
export interface ImplicitBuckets {
  readonly read: number;
  readonly written: number;
  /** By life; absent where none is told. */
  readonly writes?: NonNullable<Usage['writes']>;
  /** Tokens that are cached once it is answered. */
  readonly held: number;
}

/** One request, as it is accounted. */
export interface KeptInput extends Omit<KeepingInput, 'readable'>, Pick<Keeping, 'hit'> {
  /** Tokens behind the entry that the next block begins with in common with a cached one: on a grid they are read too. */
  readonly beginning?: number;
}

/** What is read and written, where sizes are what `size` says of the prefix up to a block. */
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
  return { read: found, written, held, ...(ttl === undefined ? {} : { writes: [{ ttl, tokens: written }] }) };
}

// Sizes on a grid: a provider that keeps entries of so many tokens, wherever those end.

/** Entries of `first`, `first + step`, ... tokens. */
export interface Grid {
  readonly first: number;
  readonly step: number;
}

/** The longest entry in a prefix of so many tokens; 0 where there is none. */
export function onGrid(tokens: number, { first, step }: Grid): number {
  return tokens < first ? 0 : tokens - ((tokens - first) % step);
}

// Where a provider that keeps entries at message ends looks for them (provider facts 2.2): user messages, the last of a run of
// results, and the last developer message before anyone else speaks.

/** The latest eligible endings behind the developer's opening, as indices of blocks, latest first. */
export function latestEndings(sequence: Sequence, most: number): readonly number[] {
  const found: number[] = [];
  for (let index = sequence.blocks.length - 1; index >= sequence.front && found.length < most; index -= 1) {
    if (isEnding(itemAt(sequence.blocks, index), itemAt(sequence.blocks, index + 1))) found.push(index);
  }
  return found;
}

/** The end of the developer's opening; `undefined` where somebody else speaks first. */
export function openingEnd(sequence: Sequence): number | undefined {
  let index = sequence.counts.tools;
  while (isDeveloper(itemAt(sequence.blocks, index))) index += 1;
  return index === sequence.counts.tools ? undefined : index - 1;
}

function isDeveloper(block: Block | undefined): boolean {
  return isContent(block) && (block?.role === 'system' || block?.role === 'developer');
}

function isEnding(block: Block | undefined, next: Block | undefined): boolean {
  if (block === undefined) return false;
  if (block.holds === 'result') return next?.holds !== 'result';
  if (block.role !== 'user' || !isContent(block)) return false;
  return !(isContent(next) && next?.role === 'user' && next.group === block.group);
}

/** What shares a message with its neighbours. */
function isContent(block: Block | undefined): boolean {
  return block?.holds === 'text' || block?.holds === 'image';
}
