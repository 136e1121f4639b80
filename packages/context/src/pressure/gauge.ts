// How full the next request is: its input against the input limit, its bytes against what a provider takes, and where it
// costs more. Read before every step, whatever was done about it before; what is unknown is said to be (L7).

import { defined } from '@tidemark/core';
import type { PressureCrossed, SizeForecast, Timestamp, Money, Usage } from '@tidemark/log';
import type { Capabilities } from '@tidemark/model';
import { nextInput, sizeForecast } from './next-input.ts';
import type { State, Crossed } from '../state/state.ts';
import { money } from '@tidemark/log';
import { costOf, inputTokens, priceAt, sumOfMoney } from '@tidemark/model';

/** How near the limit, in the words of the log. */
export type Tier = PressureCrossed['tier'];

/** A length of the request above which a model prices all of it dearer. */
export interface Cliff {
  readonly above: number;
  /** The request is longer already. */
  readonly passed: boolean;
}

/** What a gauge reads. Tokens by default; estimates, but for the limits. */
export interface Gauge extends Budgets {
  /** Input of the next request; absent where it is unknown. */
  readonly input?: number;
  /** How far off `input` may be: the share by which estimates have been off, of what of it was never counted. */
  readonly margin?: number;
  /** Most input of this request; 0 where no limit is known. */
  readonly limit: number;
  /** `input / limit`; absent where one of them is unknown. */
  readonly ratio?: number;
  /** The worse of tokens and bytes; `unknown` where the tokens are, and the bytes are no reason to worry. */
  readonly tier: Tier | 'unknown';
  /** Which of the two the tier is told by. */
  readonly by: 'tokens' | 'bytes';
  /** Bytes of the body, media as base64. */
  readonly bytes: number;
  /** Most bytes that the provider takes; absent where the row knows no limit. */
  readonly bytesLimit?: number;
  /** The next one above the input, or the last that it passed; absent where the price is one for all lengths. */
  readonly cliff?: Cliff;
}

/** What a gauge is read with. */
export interface GaugeOptions {
  /** Output tokens that the request will ask for; as many as the model gives by default. */
  readonly outputLimit?: number;
  readonly budgets?: BudgetSettings;
  /** The day whose prices hold; the latest that the row knows by default. */
  readonly at?: Timestamp;
}

/** Share of the limit from which a gauge is critical: a runtime that compacts by itself does so there. */
export const CRITICAL: number = 0.9;

/** From where a tier holds, as a share of the limit, the highest first. */
const TIERS: readonly { readonly tier: Tier; readonly from: number }[] = [
  { tier: 'critical', from: CRITICAL },
  { tier: 'warning', from: 0.8 },
  { tier: 'advisory', from: 0.7 },
  { tier: 'calm', from: 0 },
];

/** What of a row a gauge goes by. */
export type GaugeLimits = Pick<Capabilities, 'inputLimit' | 'window' | 'outputLimit' | 'prices' | 'requestBytes'>;

/** Reads the gauge of the request that would be made next. The cost follows what was appended since the last one. */
export function gaugeOf(state: State, row: GaugeLimits, options: GaugeOptions = {}): Gauge {
  const limit = inputLimitOf(row, Math.min(options.outputLimit ?? row.outputLimit, row.outputLimit)) ?? 0;
  const budgets = budgetsOf(limit, options.budgets);
  const next = nextInput(state, row.window.tokens);
  const { bytes } = next;
  const size = sizeForecast(state, next);
  const ratio = size === undefined || limit === 0 ? undefined : size.input / limit;
  const byTokens = ratio === undefined ? undefined : tierAt(ratio, budgets.soft / limit);
  const byBytes = row.requestBytes === undefined ? 'calm' : tierAt(bytes / row.requestBytes);
  const heavy = isAbove(byBytes, byTokens ?? 'calm');
  const cliff = cliffOf(row, size?.input, options.at);
  return {
    ...budgets,
    ...(size === undefined ? {} : inputOf(size)),
    limit,
    ...defined({
      ratio,
      tier: heavy ? byBytes : (byTokens ?? 'unknown'),
      by: heavy ? 'bytes' : 'tokens',
      bytes,
      bytesLimit: row.requestBytes,
      cliff,
    }),
  };
}

function inputOf({ input, measured, error }: SizeForecast): Pick<Gauge, 'input' | 'margin'> {
  return defined({ input, margin: error === undefined ? undefined : Math.ceil((input - measured) * error) });
}

function tierAt(ratio: number, soft = 1): Tier {
  const reached = TIERS.find(({ tier, from }) => ratio >= (tier === 'warning' ? Math.min(from, soft) : from));
  return reached?.tier ?? 'calm';
}

/** Whether one tier is nearer the limit than another. */
function isAbove(tier: Tier, other: Tier): boolean {
  const rank = (one: Tier): number => TIERS.findIndex((held) => held.tier === one);
  return rank(tier) < rank(other);
}

/** Lengths above which a model prices the whole request dearer, on a day, in ascending order; of the latest prices without one. */
export function cliffsOf({ prices }: Pick<GaugeLimits, 'prices'>, at: Timestamp | undefined): readonly number[] {
  const list = at === undefined ? prices.at(-1) : prices.findLast(({ from }) => from <= at.slice(0, 10));
  return (list?.tiers ?? []).map(({ above }) => above).filter((above) => above > 0);
}

function cliffOf(row: GaugeLimits, input: number | undefined, at: Timestamp | undefined): Cliff | undefined {
  const edges = cliffsOf(row, at);
  const next = edges.find((above) => above >= (input ?? 0));
  if (next !== undefined) return { above: next, passed: false };
  const last = edges.at(-1);
  return last === undefined ? undefined : { above: last, passed: true };
}

/**
 * Returns the record of a tier that the next request reaches; `undefined` where it is already recorded, calm, or not known. A tier
 * is recorded once per checkpoint and not on the way down, so a restart, or a request that shrank and grew again, repeats none.
 */
export function crossingOf(state: State, gauge: Gauge): PressureCrossed | undefined {
  const { tier } = gauge;
  const checkpoint = state.epoch?.opened.checkpoint;
  if (tier === 'unknown' || !isAbove(tier, saidBehind(state.pressure, checkpoint))) return undefined;
  const behind = checkpoint === undefined ? {} : { checkpoint };
  if (gauge.by === 'bytes') {
    const { bytes: input, bytesLimit: limit = 0 } = gauge;
    return { tier, ratio: input / limit, limit, input, unit: 'bytes', ...behind };
  }
  const { input = 0, limit, ratio = 0 } = gauge;
  return { tier, ratio, limit, input, ...behind };
}

/** The fold of `pressure.crossed`: the highest tier behind one checkpoint. */
export function evolveCrossed(before: Crossed | undefined, { tier, checkpoint }: PressureCrossed): Crossed {
  return isAbove(saidBehind(before, checkpoint), tier) && before !== undefined ? before : { tier, checkpoint };
}

function saidBehind(said: Crossed | undefined, checkpoint: Crossed['checkpoint']): Crossed['tier'] {
  return said !== undefined && said.checkpoint === checkpoint ? said.tier : 'calm';
}

/**
 * Most input tokens of a request that asks for so many tokens of output: the row's own limit, or what the output leaves of
 * the window where a provider adds both and refuses the sum. Where the answer just stops at the end of the window
 * (Anthropic from Claude 4.5 on), the output asked for takes nothing away. `undefined` where the row knows none.
 */
export function inputLimitOf(
  row: Pick<Capabilities, 'inputLimit' | 'window'>,
  outputLimit: number,
): number | undefined {
  const { tokens, sharedWithOutput } = row.window;
  const limit = sharedWithOutput === 'refused' ? Math.min(row.inputLimit, tokens - outputLimit) : row.inputLimit;
  return limit > 0 ? limit : undefined;
}

/** What an output limit is fitted to. */
export interface OutputFit {
  readonly asked: number;
  /** Tokens of the request, as `gaugeOf` tells them; absent is unknown. */
  readonly input?: number | undefined;
  /** How far off that may be, in tokens. */
  readonly margin?: number;
  /** Below this it is never lowered: words and a reasoning budget have to fit into it. */
  readonly least: number;
}

/**
 * The output limit that a request may ask for: as asked, or what its input leaves of a window that a provider refuses to
 * exceed with both together. Never so little that no answer fits: such a request is for a compaction to mend.
 */
export function fitOutput(row: Capabilities, fit: OutputFit): number {
  const { tokens, sharedWithOutput } = row.window;
  const asked = Math.min(fit.asked, row.outputLimit);
  if (sharedWithOutput !== 'refused' || fit.input === undefined) return asked;
  const room = tokens - fit.input - (fit.margin ?? 0);
  return Math.min(asked, Math.max(fit.least, Math.floor(room)));
}

/** Token budgets of one request. */
export interface Budgets {
  /** Kept free, for the answer and for the error of the estimate. */
  readonly reserve: number;
  /** What a plan must fit, and where `auto` compacts. */
  readonly hard: number;
  /** Where a warning begins, if that is before 80% of the limit. */
  readonly soft: number;
  /** What a compaction keeps of the tail. */
  readonly tail: number;
}

/** What is set instead of computed; each is brought within the limit. */
export type BudgetSettings = { readonly [name in keyof Budgets]?: number };

/** Windows from this size on leave a larger share free: `hard` is at most this share of the limit. */
const SHARES: readonly { readonly from: number; readonly share: number }[] = [
  { from: 200_000, share: 0.85 },
  { from: 128_000, share: 0.88 },
];

const RESERVE = { most: 16_384, least: 256 } as const;

const TAIL = 20_000;

/** The budgets of a request whose input may hold `limit` tokens. Whole numbers, none above the limit. */
export function budgetsOf(limit: number, settings: BudgetSettings = {}): Budgets {
  const within = (tokens: number): number => Math.max(0, Math.min(limit, Math.floor(tokens)));
  const reserve = within(settings.reserve ?? Math.min(RESERVE.most, Math.max(RESERVE.least, limit / 2)));
  const share = SHARES.find(({ from }) => limit >= from)?.share ?? 1;
  const hard = within(settings.hard ?? Math.min(limit - reserve, share * limit));
  const soft = Math.min(hard, within(settings.soft ?? Math.max(0.7 * hard, hard - Math.max(2_048, 0.05 * limit))));
  const tail = within(settings.tail ?? Math.min(TAIL, limit - reserve, hard / 2));
  return { reserve, hard, soft, tail };
}

/** `about 163,000 of 200,000 tokens (81%), warning; 1.2 of 32.0 MB`. What is unknown is said to be. */
export function gaugeInWords(gauge: Gauge): string {
  const { bytes, bytesLimit, tier } = gauge;
  const said = tier === 'unknown' ? '' : `, ${tier}`;
  const heavy = bytesLimit === undefined ? '' : `; ${megabytes(bytes)} of ${megabytes(bytesLimit)} MB`;
  return `${tokensInWords(gauge)}${said}${heavy}${cliffInWords(gauge)}`;
}

function tokensInWords({ input, margin, limit, ratio }: Gauge): string {
  const most = limit === 0 ? 'an unknown limit of' : formatNumber(limit);
  if (input === undefined) return `an unknown part of ${most} tokens`;
  const share = ratio === undefined ? '' : ` (${Math.floor(100 * ratio)}%)`;
  return `about ${formatNumber(input)}${margin ? ` ± ${formatNumber(margin)}` : ''} of ${most} tokens${share}`;
}

function cliffInWords({ cliff }: Gauge): string {
  if (cliff === undefined) return '';
  const above = formatNumber(cliff.above);
  return cliff.passed
    ? `; above ${above} tokens, where the whole request costs more`
    : `; above ${above} tokens the whole request would cost more`;
}

function megabytes(bytes: number): string {
  return (bytes / 1_000_000).toFixed(1);
}

function formatNumber(value: number): string {
  return value.toLocaleString('en-US');
}

/** A length that a request is beyond, and what all of it costs more than at the price below that length. */
export interface CliffCost {
  /** Input tokens above which the price holds. */
  readonly above: number;
  /** In US dollars; absent when a price is unknown. */
  readonly cost?: Money;
}

/** One request, as it was counted or is forecast. */
export interface CliffInput {
  readonly capabilities: Capabilities;
  readonly at: Timestamp;
  readonly usage: Usage;
}

/** The highest cliff that a request is beyond; `undefined` for a request below all of them, and for an unknown length. */
export function cliffCost({ capabilities, at, usage }: CliffInput): CliffCost | undefined {
  const input = inputTokens(usage);
  const above = input === undefined ? undefined : cliffsOf(capabilities, at).findLast((one) => one < input);
  if (input === undefined || above === undefined) return undefined;
  const day = at.slice(0, 10);
  const [dear, cheap] = [input, above].map((tokens) => totalAt(capabilities, day, tokens, usage));
  if (dear === undefined || cheap === undefined) return { above };
  return { above, cost: money(sumOfMoney([dear, `-${cheap}`])) };
}

/** The same, where the request before was not beyond that cliff: its input in tokens, 0 where there was none. */
export function cliffCrossed(input: CliffInput, before: number): CliffCost | undefined {
  const cliff = cliffCost(input);
  return cliff !== undefined && before <= cliff.above ? cliff : undefined;
}

function totalAt(capabilities: Capabilities, day: string, length: number, usage: Usage): string | undefined {
  const price = priceAt(capabilities, day, length);
  return price && costOf(price, usage)?.total;
}
