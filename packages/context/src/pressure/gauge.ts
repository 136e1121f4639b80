// Gauge of the next request. It compares the input with the input limit, and the bytes with the provider's limit. It
// also shows the lengths above which the whole request costs more. The gauge is read before every step, also after a
// compaction or pruning. Unknown values are reported as unknown (L7).

import { defined } from '@tidemark/core';
import type { PressureCrossed, SizeForecast, Timestamp, Money, Usage } from '@tidemark/log';
import type { Capabilities } from '@tidemark/model';
import { nextInput, sizeForecast } from './next-input.ts';
import type { State, Crossed } from '../state/state.ts';
import { money } from '@tidemark/log';
import { costOf, inputTokens, priceAt, sumOfMoney } from '@tidemark/model';

/** Pressure tier, which shows how near the request is to its limit. */
export type Tier = PressureCrossed['tier'];

/** Input length above which a model charges more for the whole request. */
export interface Cliff {
  readonly above: number;
  /** True if the request is already longer than `above`. */
  readonly passed: boolean;
}

/**
 * Reading of the gauge. If a field names no other unit, its value is in tokens. All values except the limits are
 * estimates.
 */
export interface Gauge extends Budgets {
  /** Input of the next request. Absent if unknown. */
  readonly input?: number;
  /**
   * Expected error of `input` in tokens. It is the part of the input that was never counted, times the error of earlier
   * estimates.
   */
  readonly margin?: number;
  /** Maximum input of this request, or 0 if no limit is known. */
  readonly limit: number;
  /** The value of `input / limit`. Absent if one of them is unknown. */
  readonly ratio?: number;
  /**
   * The more severe of two tiers: the tier by tokens and the tier by bytes. It is `unknown` if the number of tokens is
   * unknown and the tier by bytes is `calm`.
   */
  readonly tier: Tier | 'unknown';
  /** Measure that decided the tier. */
  readonly by: 'tokens' | 'bytes';
  /** Bytes of the request body, with media as base64. */
  readonly bytes: number;
  /** Maximum bytes that the provider accepts. Absent if the catalog row contains no limit. */
  readonly bytesLimit?: number;
  /**
   * Next cliff at or above the input, or the highest cliff if the input is above all cliffs. Absent if the model has
   * one price for all lengths.
   */
  readonly cliff?: Cliff;
}

/** Options of `gaugeOf`. */
export interface GaugeOptions {
  /** Output tokens that the request will ask for. The default and the maximum are the output limit of the model. */
  readonly outputLimit?: number;
  readonly budgets?: BudgetSettings;
  /** Day whose prices apply. Default: the latest prices in the catalog row. */
  readonly at?: Timestamp;
}

/**
 * Share of the limit at which the tier is `critical`. If a runtime compacts automatically, it compacts at this share at
 * the latest.
 */
export const CRITICAL: number = 0.9;

/**
 * Share of the limit at which each tier begins, highest first. `warning` begins earlier if the budget `soft` is a
 * smaller share.
 */
const TIERS: readonly { readonly tier: Tier; readonly from: number }[] = [
  { tier: 'critical', from: CRITICAL },
  { tier: 'warning', from: 0.8 },
  { tier: 'advisory', from: 0.7 },
  { tier: 'calm', from: 0 },
];

/** Fields of a catalog row that a gauge uses. */
export type GaugeLimits = Pick<Capabilities, 'inputLimit' | 'window' | 'outputLimit' | 'prices' | 'requestBytes'>;

/**
 * Returns the gauge of the next request. The running time is proportional to the content that was appended since the
 * last request.
 */
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

function isAbove(tier: Tier, other: Tier): boolean {
  const rank = (one: Tier): number => TIERS.findIndex((held) => held.tier === one);
  return rank(tier) < rank(other);
}

/**
 * Returns the cliffs of a model in ascending order, by the prices of a day. If a request exceeds a cliff, the model
 * charges more for the whole request. Without `at`, the latest prices apply.
 */
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
 * Returns the record for a tier that the next request reaches. Returns `undefined` if the tier is already recorded,
 * calm or unknown. A tier is recorded at most one time per checkpoint, and only when the pressure rises. After a
 * restart, or if a request shrinks and grows again, the tier is not recorded again.
 */
export function crossingOf(state: State, gauge: Gauge): PressureCrossed | undefined {
  const { tier } = gauge;
  const checkpoint = state.epoch?.opened.checkpoint;
  if (tier === 'unknown' || !isAbove(tier, recordedTier(state.pressure, checkpoint))) return undefined;
  const place = checkpoint === undefined ? {} : { checkpoint };
  if (gauge.by === 'bytes') {
    const { bytes: input, bytesLimit: limit = 0 } = gauge;
    return { tier, ratio: input / limit, limit, input, unit: 'bytes', ...place };
  }
  const { input = 0, limit, ratio = 0 } = gauge;
  return { tier, ratio, limit, input, ...place };
}

/**
 * Folds `pressure.crossed`: keeps the highest tier that was recorded with the same checkpoint. A tier that was recorded
 * with another checkpoint is replaced.
 */
export function evolveCrossed(before: Crossed | undefined, { tier, checkpoint }: PressureCrossed): Crossed {
  return isAbove(recordedTier(before, checkpoint), tier) && before !== undefined ? before : { tier, checkpoint };
}

function recordedTier(crossed: Crossed | undefined, checkpoint: Crossed['checkpoint']): Crossed['tier'] {
  return crossed !== undefined && crossed.checkpoint === checkpoint ? crossed.tier : 'calm';
}

/**
 * Returns the maximum input tokens of a request that asks for `outputLimit` output tokens. This is usually the limit of
 * the catalog row. If the provider refuses a request whose input and output together exceed the window, the maximum can
 * be lower. If the answer only stops at the end of the window (Anthropic from Claude 4.5 on), the output limit does not
 * reduce the input. Returns `undefined` if the row contains no limit.
 */
export function inputLimitOf(
  row: Pick<Capabilities, 'inputLimit' | 'window'>,
  outputLimit: number,
): number | undefined {
  const { tokens, sharedWithOutput } = row.window;
  const limit = sharedWithOutput === 'refused' ? Math.min(row.inputLimit, tokens - outputLimit) : row.inputLimit;
  return limit > 0 ? limit : undefined;
}

/** Input of `fitOutput`. */
export interface OutputFit {
  readonly asked: number;
  /** Input tokens of the request, as `gaugeOf` returns them. Absent if unknown. */
  readonly input?: number | undefined;
  /** Expected error of `input`, in tokens. */
  readonly margin?: number;
  /** Minimum of the output limit. The text of the answer and a reasoning budget must fit into it. */
  readonly least: number;
}

/**
 * Returns the output limit for a request. It is lowered if the provider refuses a request whose input and output
 * together exceed the window. It is never lowered below `least`: a request with too little space for an answer needs a
 * compaction.
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
  /** Tokens kept free for the answer and for the error of the estimate. */
  readonly reserve: number;
  /** Maximum input after a compaction. With the policy `auto`, a request of this size is compacted. */
  readonly hard: number;
  /** Input at which the tier `warning` begins, if that is below 80% of the limit. */
  readonly soft: number;
  /** Maximum tokens of the tail that a compaction keeps. */
  readonly tail: number;
}

/** Budgets that the user sets instead of the computed budgets. Each is reduced to fit the limit. */
export type BudgetSettings = { readonly [name in keyof Budgets]?: number };

/**
 * Maximum of `hard` as a share of the limit. Each entry applies to limits of `from` tokens and more. Larger windows
 * leave a larger share free.
 */
const SHARES: readonly { readonly from: number; readonly share: number }[] = [
  { from: 200_000, share: 0.85 },
  { from: 128_000, share: 0.88 },
];

const RESERVE = { most: 16_384, least: 256 } as const;

const TAIL = 20_000;

/**
 * Returns the budgets of a request with an input limit of `limit` tokens. They are whole numbers, and each is at most
 * the limit.
 */
export function budgetsOf(limit: number, settings: BudgetSettings = {}): Budgets {
  const within = (tokens: number): number => Math.max(0, Math.min(limit, Math.floor(tokens)));
  const reserve = within(settings.reserve ?? Math.min(RESERVE.most, Math.max(RESERVE.least, limit / 2)));
  const share = SHARES.find(({ from }) => limit >= from)?.share ?? 1;
  const hard = within(settings.hard ?? Math.min(limit - reserve, share * limit));
  const soft = Math.min(hard, within(settings.soft ?? Math.max(0.7 * hard, hard - Math.max(2_048, 0.05 * limit))));
  const tail = within(settings.tail ?? Math.min(TAIL, limit - reserve, hard / 2));
  return { reserve, hard, soft, tail };
}

/**
 * Returns a gauge as text: `about 163,000 of 200,000 tokens (81%), warning; 1.2 of 32.0 MB`. Unknown values are named
 * as unknown.
 */
export function gaugeInWords(gauge: Gauge): string {
  const { bytes, bytesLimit, tier } = gauge;
  const tierText = tier === 'unknown' ? '' : `, ${tier}`;
  const heavy = bytesLimit === undefined ? '' : `; ${megabytes(bytes)} of ${megabytes(bytesLimit)} MB`;
  return `${tokensInWords(gauge)}${tierText}${heavy}${cliffInWords(gauge)}`;
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

/**
 * Cliff that a request is above, and the additional cost of the whole request. The additional cost is compared with the
 * price below that cliff.
 */
export interface CliffCost {
  /** Input tokens above which the higher price applies. */
  readonly above: number;
  /** Additional cost in US dollars. Absent if a price is unknown. */
  readonly cost?: Money;
}

/** Counted or forecast usage of one request. */
export interface CliffInput {
  readonly capabilities: Capabilities;
  readonly at: Timestamp;
  readonly usage: Usage;
}

/**
 * Returns the highest cliff that a request is above. Returns `undefined` if the request is below all cliffs or its
 * length is unknown.
 */
export function cliffCost({ capabilities, at, usage }: CliffInput): CliffCost | undefined {
  const input = inputTokens(usage);
  const above = input === undefined ? undefined : cliffsOf(capabilities, at).findLast((one) => one < input);
  if (input === undefined || above === undefined) return undefined;
  const day = at.slice(0, 10);
  const [dear, cheap] = [input, above].map((tokens) => totalAt(capabilities, day, tokens, usage));
  if (dear === undefined || cheap === undefined) return { above };
  return { above, cost: money(sumOfMoney([dear, `-${cheap}`])) };
}

/**
 * Returns the cliff that `cliffCost` returns, if the previous request was not above this cliff. Otherwise returns
 * `undefined`. `before` is the input of the previous request in tokens, or 0 if there was none.
 */
export function cliffCrossed(input: CliffInput, before: number): CliffCost | undefined {
  const cliff = cliffCost(input);
  return cliff !== undefined && before <= cliff.above ? cliff : undefined;
}

function totalAt(capabilities: Capabilities, day: string, length: number, usage: Usage): string | undefined {
  const price = priceAt(capabilities, day, length);
  return price && costOf(price, usage)?.total;
}
