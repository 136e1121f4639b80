// The cache plan of a call. `plan` chooses the markers, four at most; a marker is no part of the prefix sequence.
// `chooseLifetime` chooses how long an entry is asked to live. `planKeeping` does the same for caches that work by themselves,
// whose entries follow from the provider's rules: on a grid of tokens, or at message ends.

import { defined } from '@tidemark/core';
import type { Block, Capabilities, Marker, Price, Ttl, Usage } from '@tidemark/model';
import { multiplier } from '@tidemark/model';
import { itemAt } from '../base/append-only.ts';
import type { Pauses } from '../state/call-times.ts';
import { stakes } from '../state/call-times.ts';
import type { CacheEntry } from '../state/state.ts';
import { LIFE } from './entries.ts';
import type { Sequence } from './sequence.ts';
import { tokensUpTo, turnStartOf } from './sequence.ts';

/** A router passes markers on to an upstream that honours them: its row has that one's floor, slots and lookback. */
export const TAKES_MARKERS: ReadonlySet<Capabilities['markers']> = new Set(['explicit', 'pass-through']);

/** What a plan is made from. */
export interface PlanInput {
  readonly sequence: Sequence;
  readonly capabilities: Capabilities;
  /** Entries that this request can read, shortest first. */
  readonly readable: readonly CacheEntry[];
  /** Block of the last marker of the last accepted request, where that still stands in the sequence. */
  readonly acceptedEnd?: number;
  readonly ttl: '5m' | '1h';
  /** Set where `ttl` was chosen by the odds: an entry that can be read then keeps its own life, and the longest is kept. */
  readonly chosen?: boolean;
  /** Set for a side call: nobody sends its last block again, and so it lives short. */
  readonly beside?: boolean;
  /** Of a side call: the last block of the history that stands before its own words. The next turn reads what ends there. */
  readonly historyEnd?: number;
  /** Set for a side call that is made to keep the history cached: its own words are not. */
  readonly keeps?: boolean;
}

/**
 * Markers in block order: the end of the tail, the longest entry that can be read (normally the end of the last accepted
 * request, so that no width of a step is too wide for the lookback), the system text, the tools. Where the provider
 * strips thinking at a new turn, the entry at the beginning of this turn is kept alive before the tools' one; so is the
 * longest that outlives the others.
 */
export function plan(input: PlanInput): readonly Marker[] {
  const { sequence, capabilities } = input;
  if (capabilities.implicit !== undefined) return contractMark(input);
  if (!TAKES_MARKERS.has(capabilities.markers)) return [];
  const wanted = [
    input.keeps === true ? undefined : tail(sequence, sequence.blocks.length - 1),
    historyEnd(input),
    anchor(input),
    turnAnchor(input),
    longAnchor(input),
    frontEnd(input, 'system'),
    frontEnd(input, 'tools'),
  ];
  const blocks = new Set<number>();
  for (const block of wanted) if (block !== undefined && blocks.size < capabilities.slots) blocks.add(block);
  return withLives(
    [...blocks].toSorted((a, b) => a - b),
    input,
  );
}

/**
 * A provider that keeps entries at message ends keeps none behind the contract, which other sessions share: the one mark goes
 * there. Each token is billed once, so it costs nothing.
 */
function contractMark(input: PlanInput): readonly Marker[] {
  const block = input.capabilities.slots === 0 ? undefined : frontEnd(input, 'system');
  const ttl = keptLife(input.capabilities);
  return block === undefined || ttl === undefined ? [] : [{ block, ttl }];
}

/** Each marker with its life; the provider takes no longer one behind a shorter one. */
function withLives(blocks: readonly number[], input: PlanInput): readonly Marker[] {
  if (input.chosen !== true) return blocks.map((block) => ({ block, ttl: input.ttl }));
  const lives = blocks.map((block) => lifeAt(block, blocks.at(-1), input));
  const lastLong = lives.lastIndexOf('1h');
  return blocks.map((block, index) => ({ block, ttl: index <= lastLong ? '1h' : '5m' }));
}

function lifeAt(block: number, last: number | undefined, { readable, ttl, beside, keeps }: PlanInput): Marker['ttl'] {
  if (beside === true && keeps !== true && block === last) return '5m';
  const life = readable.find((entry) => entry.block === block)?.ttl;
  return typeof life === 'string' ? life : ttl;
}

/** The last block that can be marked: never thinking, so walk back. */
function tail(sequence: Sequence, last: number): number | undefined {
  for (let index = last; index >= sequence.front; index -= 1) {
    if (itemAt(sequence.blocks, index)?.markable === true) return index;
  }
  return undefined;
}

/** What the conversation itself will read, of a side call that holds it. */
function historyEnd(input: PlanInput): number | undefined {
  const end = input.historyEnd === undefined ? undefined : tail(input.sequence, input.historyEnd);
  return end === undefined || isBelowFloor(input, end) ? undefined : end;
}

/** The end of the last accepted request stands in where no entry can be read. */
function anchor(input: PlanInput): number | undefined {
  const { sequence, readable, acceptedEnd } = input;
  const end = readable.at(-1)?.block ?? acceptedEnd;
  if (end === undefined || end < sequence.front || itemAt(sequence.blocks, end)?.markable !== true) return undefined;
  return isBelowFloor(input, end) ? undefined : end;
}

/** Below the floor a marker would cache nothing. */
function isBelowFloor({ sequence, capabilities }: PlanInput, block: number): boolean {
  const strips = capabilities.thinkingStripped === 'at-new-turn';
  return tokensUpTo(sequence, block, strips) < (capabilities.floor ?? 0);
}

/** The entry behind the prompt of this turn: all that a strip of this turn's thinking leaves readable. */
function turnAnchor({ sequence, capabilities, readable }: PlanInput): number | undefined {
  const turn = turnStartOf(sequence);
  if (capabilities.thinkingStripped !== 'at-new-turn' || turn.thinking === undefined) return undefined;
  const thinking = turn.thinking;
  return readable.findLast((entry) => entry.block >= sequence.front && entry.block < thinking)?.block;
}

/** What a pause will leave readable, where the entries behind it live short. */
function longAnchor({ readable, chosen, sequence }: PlanInput): number | undefined {
  if (chosen !== true) return undefined;
  return readable.findLast(({ ttl, block }) => ttl === '1h' && block >= sequence.front)?.block;
}

/** The end of a section of the front; it gives way below the floor, where it would cache nothing. */
function frontEnd({ sequence, capabilities }: PlanInput, section: 'tools' | 'system'): number | undefined {
  for (let index = sequence.front - 1; index >= 0; index -= 1) {
    const block = itemAt(sequence.blocks, index);
    if (block?.section !== section || !block.markable) continue;
    return tokensUpTo(sequence, index, false) < (capabilities.floor ?? 0) ? undefined : index;
  }
  return undefined;
}

/** How long an entry may be asked to live. */
export type Lifetime = '5m' | '1h';

/** Input of `chooseLifetime`. */
export interface LifetimeInput {
  /** Pauses of the stream, the one before this request included. */
  readonly pauses: Pauses;
  readonly capabilities: Capabilities;
  /** The price of this request. Without a price the entry lives five minutes. */
  readonly price: Price | undefined;
  /** Tokens of this request. */
  readonly tokens: number;
  /**
   * Measured tokens that the cache held before this request and that this request sends again: the size of one rewrite, on the
   * scale of `pauses`. The default is `tokens`, which may be an estimate.
   */
  readonly held?: number | undefined;
  /** The longest entry that this request reads. New entries stand after it. */
  readonly behind: Pick<CacheEntry, 'ttl' | 'section'> | undefined;
  /** Rewrites of `held` that an hour must have saved. The default is the fitted value; benchmarks pass others to fit it. */
  readonly margin?: number;
}

/**
 * Rewrites that an hour must have saved on a stream before an hour is bought, each of the tokens that the cache held last.
 * Above 1, so that one pause is not enough: in the recorded sessions three of seven streams had a second pause within the
 * hour after the first one, and all three that had two had a third. Fitted by leaving one session out; each value from 1.1
 * to 1.3 gives the same table (docs/decisions/2026-11-22-lifetime-prior.md, `npm run bench -- lifetime`).
 */
const MARGIN = 1.2;

/** Share of the margin that keeps a history on an hour once it lives an hour: it changes back later than it changed. */
const STAYING = 0.5;

/**
 * Returns `1h` where an hour would have saved this stream more than `margin` rewrites up to now, else `5m`. A pause between
 * five minutes and an hour would have saved one short write less one read of each token held. A longer pause, or a break
 * that no life outlasts, would have cost the premium of each token held. Savings and rewrites are counted in tokens, so
 * pauses of a small prefix do not buy an hour for a large one.
 *
 * A stream without pauses begins with `5m`. After an entry of five minutes the result is always `5m`: no provider is known
 * to keep an entry longer than the entry before it.
 */
export function chooseLifetime(input: LifetimeInput): Lifetime {
  const { behind, pauses, tokens, held = tokens, margin = MARGIN } = input;
  const rates = ratesOfLives(input);
  if (behind?.ttl === '5m' || rates === undefined) return '5m';
  const { kept, lost } = stakes(pauses, LIFE['5m'], LIFE['1h']);
  const saved = kept * rates.rewrite - lost * rates.premium;
  const needed = margin * rates.rewrite * held;
  return saved > needed * (behind?.section === 'messages' ? STAYING : 1) ? '1h' : '5m';
}

/** The life that a provider's own entries are written with: the first that the row has a price for. None is told of free ones. */
export function keptLife({ ttls, prices }: Capabilities): Ttl | undefined {
  const isPriced = (ttl: Ttl): boolean =>
    prices.some(({ tiers }) => tiers.some(({ price }) => price.writes[ttl] !== undefined));
  return ttls.find(isPriced);
}

/** Costs per token in base input prices: a short write less a read, and a long write less a short one. */
interface LifeRates {
  readonly rewrite: number;
  readonly premium: number;
}

/** Returns `undefined` where there is no choice, no price, or no saving. */
function ratesOfLives({ capabilities, price }: LifetimeInput): LifeRates | undefined {
  if (price === undefined || !capabilities.ttls.includes('1h')) return undefined;
  const long = multiplier(price, '1h');
  const short = multiplier(price, '5m');
  const read = multiplier(price, 'read');
  if (long === undefined || short === undefined || read === undefined) return undefined;
  const rewrite = Number(short) - Number(read);
  return rewrite <= 0 ? undefined : { rewrite, premium: Number(long) - Number(short) };
}

/**
 * Input of `planKeeping`. A cache that works by itself is not asked for entries, so they are known only by the provider's
 * published rules in the catalog row.
 */
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
interface KeptInput extends Omit<KeepingInput, 'readable'>, Pick<Keeping, 'hit'> {
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
  return defined({ read: found, written, held, writes: ttl === undefined ? undefined : [{ ttl, tokens: written }] });
}

/** Sizes of the entries of a provider that caches on a grid: `first`, `first + step`, ... tokens, wherever those end. */
export interface Grid {
  readonly first: number;
  readonly step: number;
}

/** The longest entry in a prefix of so many tokens; 0 where there is none. */
export function onGrid(tokens: number, { first, step }: Grid): number {
  return tokens < first ? 0 : tokens - ((tokens - first) % step);
}

/**
 * Returns the latest `most` endings after the developer's opening, as indices of blocks, latest first. A provider that keeps
 * entries at message ends looks for them there (provider facts 2.2): user messages, the last of a run of results, and the last
 * developer message before any other speaker.
 */
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
