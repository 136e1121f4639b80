// Chooses the front that an epoch opens with: the natural front, which has no padding, or the padded front. The
// decision is made when the epoch opens. If the next epoch has the same front apart from the padding, it keeps the
// decision.

import { defined } from '@tidemark/core';
import type { EpochOpened, FrontEntry, PaddingRecord, PaddingSetting, Timestamp } from '@tidemark/log';
import type { Capabilities } from '@tidemark/model';
import { multiplier } from '@tidemark/model';
import { itemAt } from '../base/append-only.ts';
import { partTokens } from '../base/estimate.ts';
import { TAKES_MARKERS } from '../cache/plan.ts';
import type { FrontTexts } from '../front/front.ts';
import { PADDING, UNKNOWN_FLOOR, frontTokens } from '../front/front.ts';
import { unitPrice } from '../money/bill.ts';
import type { State } from '../state/state.ts';
import type { RequestSpec } from './epoch.ts';
import { sameFront, servesAs } from './epoch.ts';

/** Input of `chooseFront`. */
export interface ChoiceInput {
  /**
   * State with the new epoch already applied. Its history is packed in the form that the first request of the epoch
   * will contain.
   */
  readonly state: State;
  /** Epoch before the new epoch. `undefined` for the first epoch. */
  readonly before: EpochOpened | undefined;
  readonly wanted: RequestSpec;
  readonly capabilities: Capabilities;
  readonly at: Timestamp;
  readonly ttl: '5m' | '1h';
}

/** Chosen front, and the calculation that led to it. */
export interface FrontChoice {
  readonly texts: FrontTexts;
  /** Absent if padding was not offered. */
  readonly padding?: PaddingRecord;
  /** Cached entries of the front, if another session has already sent it. */
  readonly cached?: readonly FrontEntry[];
}

/**
 * Returns the front of the new epoch. If the front of a parent can be inherited, it is used. Otherwise, if the decision
 * of the previous epoch still applies, that decision is used. Otherwise, a new calculation decides. If no padding is
 * offered and no front is inherited, the front is `texts` of the request.
 */
export function chooseFront(input: ChoiceInput): FrontChoice {
  const { wanted } = input;
  const { padding: offer, texts } = wanted;
  const inherited = inheritedBy(input);
  if (inherited !== undefined) return inherited;
  return offer === undefined ? { texts } : (carriedOn(input) ?? choosePadding(input, offer));
}

/**
 * Returns the parent's front for the first epoch of a subagent. Returns `undefined` if the request cannot use that
 * front. The bytes are the same, so the subagent reads the parent's cache.
 */
function inheritedBy({ before, wanted }: ChoiceInput): FrontChoice | undefined {
  const { inherited } = wanted;
  if (before !== undefined || inherited === undefined || !servesAs(inherited.opened, wanted)) return undefined;
  const { padding } = inherited.opened;
  const { texts, cached } = inherited;
  return { texts, ...defined({ padding }), ...(cached.length > 0 && { cached }) };
}

function choosePadding(
  { state, wanted: { texts }, capabilities, at, ttl }: ChoiceInput,
  { setting, padded, others }: NonNullable<RequestSpec['padding']>,
): FrontChoice {
  const padding = decidePadding({
    setting,
    capabilities,
    at,
    ttl,
    natural: frontTokens(texts),
    padded: padded === undefined ? undefined : frontTokens(padded),
    tail: tailTokens(state),
    tools: texts.tools.length > 0,
    others,
  });
  if (!isPadded(padding) || padded === undefined) return { texts, padding };
  const { preloaded: skills } = padded;
  return { texts: padded, padding: skills === undefined ? padding : { ...padding, skills } };
}

/**
 * Returns the padding decision of the previous epoch if the rest of the front is unchanged. Otherwise returns
 * `undefined`. The bytes of that front may still be in the cache.
 */
function carriedOn({ before, wanted }: ChoiceInput): FrontChoice | undefined {
  const { padding: offer, texts } = wanted;
  if (before?.padding === undefined || before.padding.setting !== offer?.setting) return undefined;
  if (before.model !== wanted.model || before.provider !== wanted.provider || !sameFront(before, wanted))
    return undefined;
  const { padding } = before;
  if (!isPadded(padding)) return { texts, padding };
  const { padded } = offer;
  return padded !== undefined && digestOf(before.layers) === digestOf(padded.layers.map(({ record }) => record))
    ? { texts: padded, padding }
    : undefined;
}

function digestOf(layers: EpochOpened['layers']): string | undefined {
  return layers.find(({ name }) => name === PADDING)?.digest;
}

function tailTokens({ history: { packed } }: State): number {
  let tokens = 0;
  for (let index = 0; index < packed.length; index += 1)
    for (const part of itemAt(packed, index)?.parts ?? []) tokens += partTokens(part);
  return tokens;
}

/**
 * Input of the calculation that decides if a front is padded up to the model's floor. The calculation is made when an
 * epoch opens. It is recorded and does not change during the epoch. If the front is below the floor, each call pays the
 * full price of the whole front. If it is above the floor, the front is written one time and then read. Tokens are
 * estimates.
 */
export interface PaddingInput {
  readonly setting: PaddingSetting;
  readonly capabilities: Capabilities;
  readonly at: Timestamp;
  /** Lifetime of the entries to write. */
  readonly ttl: '5m' | '1h';
  /** Tokens of the tools and the system text without padding. */
  readonly natural: number;
  /**
   * Tokens of the tools and the system text with padding. The padded size must be between the model's floor and the
   * upper limit for padding. Absent if no set of whole sections gives such a size.
   */
  readonly padded: number | undefined;
  /** Tokens after the front in the first request. */
  readonly tail: number;
  /** True if the front contains tools. */
  readonly tools: boolean;
  /** Number of other sessions that are expected to use the same front while its cache entry is live. */
  readonly others: number;
}

/**
 * Possible numbers of calls per session. All are equally likely. They are the deciles of the calls per prompt in the
 * three shared recordings of real coding sessions (85 prompts, 594 calls; median 3, mean 7).
 *
 * A session is treated as one prompt. Requests of further prompts are already above the floor. For these requests,
 * padding only adds the price of reading the padding.
 */
const LENGTHS: readonly number[] = [1, 2, 3, 3, 3, 4, 4, 6, 9, 19];

/**
 * Possible numbers of tokens by which a request grows from one call to the next. All are equally likely.
 *
 * With tools: the midpoints of the quartiles of the first five steps in the recordings that `LENGTHS` names (12 steps,
 * from 347 to 20,135 tokens). No session without tools was recorded. For such sessions, 350 is assumed. It lies between
 * 241 and 481, the medians of the later steps of the recordings.
 */
const GROWTH: { readonly [kind in 'tools' | 'talk']: readonly number[] } = {
  tools: [550, 1_500, 5_500, 19_500],
  talk: [350],
};

/**
 * Decides if the front is padded, and returns the decision with its reason. Unknown values are omitted from the record.
 */
export function decidePadding(input: PaddingInput): PaddingRecord {
  const { setting, natural, padded, capabilities, others } = input;
  const known = {
    setting,
    natural,
    ...defined({ padded, floor: capabilities.floor }),
    ...(others === 0 ? {} : { others }),
  };
  const sum = sumOf(input);
  return { ...known, ...sum, why: whyOf(input, sum?.gain) };
}

export function isPadded({ why }: PaddingRecord): boolean {
  return why === 'pays' || why === 'always';
}

function whyOf(
  { setting, capabilities, natural, padded }: PaddingInput,
  gain: number | undefined,
): PaddingRecord['why'] {
  const { floor, markers } = capabilities;
  if (setting === 'never') return 'never';
  if (natural >= (floor ?? UNKNOWN_FLOOR.target)) return 'above-floor';
  if (padded === undefined) return 'no-fit';
  if (setting === 'always') return 'always';
  if (!TAKES_MARKERS.has(markers)) return markers === 'implicit' ? 'implicit' : 'uncached';
  if (floor === undefined) return 'unknown-floor';
  if (gain === undefined) return 'unknown-price';
  return gain > 0 ? 'pays' : 'costs';
}

/**
 * Returns two expected values. `calls` is the number of calls of one session whose prefix is below the floor without
 * padding. `gain` is the total saving by padding, in this session and in the `others` that share its front. It is in
 * tokens at the base input price, and is absent if padding or prices are missing. Returns `undefined` in three cases:
 * the floor is unknown, the front reaches the floor without padding, or the model takes no markers.
 */
function sumOf(input: PaddingInput): Pick<PaddingRecord, 'calls' | 'gain'> | undefined {
  const { capabilities, natural, padded, tail, tools, others } = input;
  const { floor, markers } = capabilities;
  if (floor === undefined || natural >= floor || !TAKES_MARKERS.has(markers)) return undefined;
  const growths = GROWTH[tools ? 'tools' : 'talk'];
  const expected = (of: (course: Course) => number): number =>
    mean(growths.flatMap((growth) => LENGTHS.map((calls) => of({ calls, growth, tail, floor }))));
  const calls = tenths(expected((course) => callsBelow(course, natural)));
  const rates = padded === undefined ? undefined : ratesAt(input, padded + tail);
  if (padded === undefined || rates === undefined) return { calls };
  const gain = expected((course) => {
    const plain = inputCost(course, natural, 0, rates);
    const alone = inputCost(course, padded, 0, rates);
    const shared = inputCost(course, padded, padded, rates);
    return plain - alone + others * (plain - shared);
  });
  return { calls, gain: Math.round(gain) };
}

interface Course {
  readonly calls: number;
  /** Tokens after the front in the first call. Each further call adds `growth` tokens. */
  readonly tail: number;
  readonly growth: number;
  readonly floor: number;
}

interface PaddingRates {
  readonly read: number;
  readonly write: number;
}

/** Returns the number of calls whose whole request is below the floor. The tail is included. */
function callsBelow({ calls, tail, growth, floor }: Course, front: number): number {
  return Math.min(calls, Math.max(0, Math.ceil((floor - front - tail) / growth)));
}

/**
 * Returns the cost of all input of a session, in tokens at the base price. Input below the floor is fresh. Above the
 * floor, cached tokens are read and all others are written. `held` is the number of tokens in the cache before the
 * first call.
 */
function inputCost(
  { calls, tail, growth, floor }: Course,
  front: number,
  held: number,
  { read, write }: PaddingRates,
): number {
  let cost = 0;
  let cached = held;
  for (let call = 0; call < calls; call += 1) {
    const total = front + tail + call * growth;
    if (total < floor) cost += total;
    else {
      cost += read * cached + write * (total - cached);
      cached = total;
    }
  }
  return cost;
}

function ratesAt({ capabilities, at, ttl }: PaddingInput, tokens: number): PaddingRates | undefined {
  const price = unitPrice(capabilities, at, tokens);
  if (price === undefined) return undefined;
  const read = multiplier(price, 'read');
  const write = multiplier(price, ttl);
  return read === undefined || write === undefined ? undefined : { read: Number(read), write: Number(write) };
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, one) => sum + one, 0) / values.length;
}

function tenths(value: number): number {
  return Math.round(value * 10) / 10;
}
