// Which front an epoch opens with: the natural one or the padded one. Decided with the epoch, and carried on by the next one
// where that changes nothing of the front.

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

/** What the choice depends on. */
export interface ChoiceInput {
  /** With the new epoch in force: the history is packed as its first request will hold it. */
  readonly state: State;
  /** The epoch before it. */
  readonly before: EpochOpened | undefined;
  readonly wanted: RequestSpec;
  readonly capabilities: Capabilities;
  readonly at: Timestamp;
  readonly ttl: '5m' | '1h';
}

/** A front, and the sum that led to it. */
export interface FrontChoice {
  readonly texts: FrontTexts;
  /** Absent where nothing was asked of padding. */
  readonly padding?: PaddingRecord;
  /** What is cached of it, where another session has sent it. */
  readonly cached?: readonly FrontEntry[];
}

/** Chooses. */
export function chooseFront(input: ChoiceInput): FrontChoice {
  const { wanted } = input;
  const { padding: offer, texts } = wanted;
  const inherited = inheritedBy(input);
  if (inherited !== undefined) return inherited;
  return offer === undefined ? { texts } : (carriedOn(input) ?? choosePadding(input, offer));
}

/** A subagent's first front is its parent's, byte for byte, and is read from what that has cached. */
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

/** An epoch that leaves the front as it is leaves its padding too: its bytes may still be read. */
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

/** Estimated tokens of all that stands behind the front. */
function tailTokens({ history: { packed } }: State): number {
  let tokens = 0;
  for (let index = 0; index < packed.length; index += 1)
    for (const part of itemAt(packed, index)?.parts ?? []) tokens += partTokens(part);
  return tokens;
}

/**
 * Input of the sum that decides whether a front is padded up to the model's floor. It is made when an epoch opens, recorded, and
 * frozen with it. Below the floor each call pays the whole front; above it the front is written once and then read. Tokens are
 * estimates.
 */
export interface PaddingInput {
  readonly setting: PaddingSetting;
  readonly capabilities: Capabilities;
  readonly at: Timestamp;
  /** How long what is written shall live. */
  readonly ttl: '5m' | '1h';
  /** Tokens of tools and system text without padding. */
  readonly natural: number;
  /** The same with it; absent where no whole sections come above the floor and stay below the cap. */
  readonly padded: number | undefined;
  /** Tokens behind the front in the first request. */
  readonly tail: number;
  /** The front has tools. */
  readonly tools: boolean;
  /** Other sessions that are expected on the same front while its entry lives. */
  readonly others: number;
}

/**
 * Calls of a session, each as likely as the others: the deciles of the calls to one prompt in the three shared recordings
 * of real coding sessions (85 prompts, 594 calls; the median is 3, the mean 7). As if a session were one prompt: further
 * ones come behind the floor, where they add the price of reading the padding and nothing else.
 */
const LENGTHS: readonly number[] = [1, 2, 3, 3, 3, 4, 4, 6, 9, 19];

/**
 * Tokens by which a request grows from call to call, each as likely as the others. With tools: the middles of the quarters of
 * the first five steps of those recordings (12 steps, from 347 to 20,135). Without tools none was recorded; 350 lies between
 * the medians of their later steps, 241 and 481.
 */
const GROWTH: { readonly [kind in 'tools' | 'talk']: readonly number[] } = {
  tools: [550, 1_500, 5_500, 19_500],
  talk: [350],
};

/** Decides, and says why. What cannot be known is left out of the record. */
export function decidePadding(input: PaddingInput): PaddingRecord {
  const { setting, natural, padded, capabilities, others } = input;
  const told = {
    setting,
    natural,
    ...defined({ padded, floor: capabilities.floor }),
    ...(others === 0 ? {} : { others }),
  };
  const sum = sumOf(input);
  return { ...told, ...sum, why: whyOf(input, sum?.gain) };
}

/** Whether a record says that the front was padded. */
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

/** Expected calls below the floor, and the gain in tokens at the base input price, over this session and the others. */
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

/** How a session goes, as far as its input is concerned. */
interface Course {
  readonly calls: number;
  /** Tokens behind the front in the first call, and what each further one adds. */
  readonly tail: number;
  readonly growth: number;
  readonly floor: number;
}

interface PaddingRates {
  readonly read: number;
  readonly write: number;
}

/** Calls that are made before the whole request, tail included, passes the floor by itself. */
function callsBelow({ calls, tail, growth, floor }: Course, front: number): number {
  return Math.min(calls, Math.max(0, Math.ceil((floor - front - tail) / growth)));
}

/**
 * Input in tokens at the base price: fresh below the floor, else what the cache holds is read and the rest written. `held` is
 * in the cache before the first call.
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
