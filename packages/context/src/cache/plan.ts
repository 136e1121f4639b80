// Plans the cache use of a call. `plan` chooses at most four markers. A marker is not part of the prefix sequence.
// `chooseLifetime` chooses the lifetime of new entries.

import type { Capabilities, Marker, Price, Ttl } from '@tidemark/model';
import { multiplier } from '@tidemark/model';
import { itemAt } from '../base/append-only.ts';
import type { Pauses } from '../state/call-times.ts';
import { stakes } from '../state/call-times.ts';
import type { CacheEntry } from '../state/state.ts';
import { LIFE } from './entries.ts';
import type { Sequence } from './sequence.ts';
import { tokensUpTo, turnStartOf } from './sequence.ts';

/**
 * Values of `markers` for which requests carry markers. With `pass-through`, a router passes the markers to an upstream
 * provider that uses them. The router's row has the floor, slots and lookback of that upstream provider.
 */
export const TAKES_MARKERS: ReadonlySet<Capabilities['markers']> = new Set(['explicit', 'pass-through']);

export interface PlanInput {
  readonly sequence: Sequence;
  readonly capabilities: Capabilities;
  /** Entries that this request can read, shortest first. */
  readonly readable: readonly CacheEntry[];
  /** Block of the last marker of the last accepted request. Absent if that block is no longer in the sequence. */
  readonly acceptedEnd?: number;
  readonly ttl: '5m' | '1h';
  /**
   * Set if `ttl` was chosen by `chooseLifetime`. In this case, a readable entry keeps its own lifetime. The longest
   * entry with a lifetime of an hour gets a marker, so that it stays alive.
   */
  readonly chosen?: boolean;
  /** Set for a side call. Its last block is never sent again, so its entry gets a short lifetime. */
  readonly beside?: boolean;
  /**
   * Only for a side call: the last block of the history, before the text that the side call adds. The next turn reads
   * the entry that ends there.
   */
  readonly historyEnd?: number;
  /**
   * Set for a side call whose purpose is to keep the history cached. The text that the side call adds gets no marker.
   */
  readonly keeps?: boolean;
}

/**
 * Returns the markers in block order. If there are more places than marker slots, the first places of this list are
 * marked:
 *
 * - the end of the tail
 * - the end of the history, for a side call
 * - the longest readable entry, normally the end of the last accepted request, so that the lookback is enough for a
 *   step of any size
 * - the entry at the beginning of this turn, if the provider strips thinking at a new turn
 * - the longest entry with a lifetime of an hour, which outlives the entries after it
 * - the system text
 * - the tools
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
 * Returns one marker at the end of the contract, because other sessions share the contract. If a provider keeps entries
 * at message ends, it creates no entry there by itself. Such a provider bills each token only one time, so the marker
 * costs nothing.
 */
function contractMark(input: PlanInput): readonly Marker[] {
  const block = input.capabilities.slots === 0 ? undefined : frontEnd(input, 'system');
  const ttl = keptLife(input.capabilities);
  return block === undefined || ttl === undefined ? [] : [{ block, ttl }];
}

/**
 * Returns a marker with a lifetime for each block. The provider accepts no long-lived marker after a short-lived one.
 * All markers before the last long-lived marker are therefore long-lived too.
 */
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

/** Returns the last block at or before `last` that can be marked. Thinking cannot be marked. */
function tail(sequence: Sequence, last: number): number | undefined {
  for (let index = last; index >= sequence.front; index -= 1) {
    if (itemAt(sequence.blocks, index)?.markable === true) return index;
  }
  return undefined;
}

/**
 * Returns the last markable block of the history in a side call. The main stream will read an entry there. Returns
 * `undefined` if the side call contains no history, or if the prefix up to that block is below the floor.
 */
function historyEnd(input: PlanInput): number | undefined {
  const end = input.historyEnd === undefined ? undefined : tail(input.sequence, input.historyEnd);
  return end === undefined || isBelowFloor(input, end) ? undefined : end;
}

/**
 * Returns the last block of the longest readable entry. If no entry is readable, returns the end of the last accepted
 * request. Returns `undefined` if that block is in the front, cannot be marked or is below the floor.
 */
function anchor(input: PlanInput): number | undefined {
  const { sequence, readable, acceptedEnd } = input;
  const end = readable.at(-1)?.block ?? acceptedEnd;
  if (end === undefined || end < sequence.front || itemAt(sequence.blocks, end)?.markable !== true) return undefined;
  return isBelowFloor(input, end) ? undefined : end;
}

/**
 * Returns true if the prefix up to a block is below the floor. In this case, the provider ignores a marker at that
 * block.
 */
function isBelowFloor({ sequence, capabilities }: PlanInput, block: number): boolean {
  const strips = capabilities.thinkingStripped === 'at-new-turn';
  return tokensUpTo(sequence, block, strips) < (capabilities.floor ?? 0);
}

/**
 * Returns the last block of the longest readable entry before this turn's thinking. This is normally the end of the
 * prompt. If the provider strips the thinking, later entries of the turn become unreadable. Returns `undefined` if the
 * provider does not strip thinking, or if the turn has no thinking.
 */
function turnAnchor({ sequence, capabilities, readable }: PlanInput): number | undefined {
  const turn = turnStartOf(sequence);
  if (capabilities.thinkingStripped !== 'at-new-turn' || turn.thinking === undefined) return undefined;
  const thinking = turn.thinking;
  return readable.findLast((entry) => entry.block >= sequence.front && entry.block < thinking)?.block;
}

/**
 * Returns the last block of the longest readable entry with a lifetime of an hour. The next requests can read this
 * entry even after a pause in which the short-lived entries after it expire.
 */
function longAnchor({ readable, chosen, sequence }: PlanInput): number | undefined {
  if (chosen !== true) return undefined;
  return readable.findLast(({ ttl, block }) => ttl === '1h' && block >= sequence.front)?.block;
}

/**
 * Returns the last markable block of a section of the front. Returns `undefined` if the prefix up to that block is
 * below the floor, because a marker there has no effect.
 */
function frontEnd({ sequence, capabilities }: PlanInput, section: 'tools' | 'system'): number | undefined {
  for (let index = sequence.front - 1; index >= 0; index -= 1) {
    const block = itemAt(sequence.blocks, index);
    if (block?.section !== section || !block.markable) continue;
    return tokensUpTo(sequence, index, false) < (capabilities.floor ?? 0) ? undefined : index;
  }
  return undefined;
}

/** Lifetimes that an entry can ask for. */
export type Lifetime = '5m' | '1h';

/** Input of `chooseLifetime`. */
export interface LifetimeInput {
  /** Pauses of the stream, including the one before this request. */
  readonly pauses: Pauses;
  readonly capabilities: Capabilities;
  /** Price of this request. Without a price, the lifetime is five minutes. */
  readonly price: Price | undefined;
  /** Tokens of this request. */
  readonly tokens: number;
  /**
   * Number of tokens of one rewrite. These are the measured tokens that were in the cache before this request and that
   * this request sends again. Default: `tokens`, which may be an estimate.
   */
  readonly held?: number | undefined;
  /** Longest entry that this request reads. New entries are placed after it. */
  readonly behind: Pick<CacheEntry, 'ttl' | 'section'> | undefined;
  /**
   * Number of rewrites of `held` tokens. A lifetime of one hour is chosen only if it would have saved more than this
   * number. Default: `MARGIN`. Benchmarks pass other values to find the best value.
   */
  readonly margin?: number;
}

/**
 * Default of `margin`: the number of rewrites that a lifetime of an hour must have saved on a stream before new entries
 * ask for it. One rewrite writes `held` tokens.
 *
 * The value is above 1, so one pause is not enough. In the recorded sessions, three of seven streams had a second pause
 * within the hour after the first one. All three streams with two pauses had a third pause. The value was fitted
 * several times, each time with another session left out. Each value from 1.1 to 1.3 gives the same table of results
 * (docs/decisions/2026-11-22-lifetime-prior.md, `npm run bench -- lifetime`).
 */
const MARGIN = 1.2;

/**
 * Factor for the margin if a history already has a lifetime of an hour. The factor is below 1, so the lifetime does not
 * change back and forth.
 */
const STAYING = 0.5;

/**
 * Returns `1h` if a lifetime of an hour would have saved this stream more than `margin` rewrites up to now, otherwise
 * `5m`.
 *
 * A pause between five minutes and an hour saves an amount for each cached token: the price of a five-minute write
 * minus the price of a read. A longer pause costs the premium of a one-hour write for each cached token. A break after
 * which no lifetime keeps the tokens costs the same premium. Savings and rewrites are counted in tokens, so pauses with
 * a small prefix do not justify an hour for a large prefix.
 *
 * If a history already has a lifetime of an hour, half of the margin is enough. A stream without pauses begins with
 * `5m`. After an entry of five minutes, the result is always `5m`, because no provider is known to keep an entry longer
 * than the entry before it.
 */
export function chooseLifetime(input: LifetimeInput): Lifetime {
  const { behind: entry, pauses, tokens, held = tokens, margin = MARGIN } = input;
  const rates = ratesOfLives(input);
  if (entry?.ttl === '5m' || rates === undefined) return '5m';
  const { kept, lost } = stakes(pauses, LIFE['5m'], LIFE['1h']);
  const saved = kept * rates.rewrite - lost * rates.premium;
  const needed = margin * rates.rewrite * held;
  return saved > needed * (entry?.section === 'messages' ? STAYING : 1) ? '1h' : '5m';
}

/**
 * Returns the lifetime of the entries that a provider writes by itself: the first lifetime of the row that has a price.
 * Returns `undefined` if writes are free, because free entries have no published lifetime.
 */
export function keptLife({ ttls, prices }: Capabilities): Ttl | undefined {
  const isPriced = (ttl: Ttl): boolean =>
    prices.some(({ tiers }) => tiers.some(({ price }) => price.writes[ttl] !== undefined));
  return ttls.find(isPriced);
}

/**
 * Costs per token, in units of the base input price. `rewrite` is the price of a five-minute write minus the price of a
 * read. `premium` is the price of a one-hour write minus the price of a five-minute write.
 */
interface LifeRates {
  readonly rewrite: number;
  readonly premium: number;
}

/**
 * Returns `undefined` in three cases: the model has no lifetime of an hour, a price is unknown, or a five-minute write
 * is not more expensive than a read.
 */
function ratesOfLives({ capabilities, price }: LifetimeInput): LifeRates | undefined {
  if (price === undefined || !capabilities.ttls.includes('1h')) return undefined;
  const long = multiplier(price, '1h');
  const short = multiplier(price, '5m');
  const read = multiplier(price, 'read');
  if (long === undefined || short === undefined || read === undefined) return undefined;
  const rewrite = Number(short) - Number(read);
  return rewrite <= 0 ? undefined : { rewrite, premium: Number(long) - Number(short) };
}
