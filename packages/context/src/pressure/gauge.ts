// How full the next request is: its input against the input limit, its bytes against what a provider takes, and where it
// costs more. Read before every step, whatever was done about it before; what is unknown is said to be (L7).

import type { PressureCrossed, SizeForecast, Timestamp } from '@tidemark/log';
import type { Capabilities } from '@tidemark/model';
import type { Budgets, BudgetSettings } from './budgets.ts';
import { budgetsOf } from './budgets.ts';
import { nextInput, sizeForecast } from './next-input.ts';
import { inputLimitOf } from '../base/request-limit.ts';
import type { State } from '../state/state.ts';

/** How near the limit, in the words of the log. */
export type Tier = PressureCrossed['tier'];

/** A length of the request above which a model prices all of it dearer. */
export interface Cliff {
  readonly above: number;
  /** The request is longer already. */
  readonly passed: boolean;
}

/** What a gauge reads. Tokens, unless said otherwise; estimates, but for the limits. */
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
  /** Output tokens that the request will ask for; as many as the model gives unless said. */
  readonly outputLimit?: number;
  readonly budgets?: BudgetSettings;
  /** The day whose prices hold; the latest that the row knows unless said. */
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
    ...(ratio === undefined ? {} : { ratio }),
    tier: heavy ? byBytes : (byTokens ?? 'unknown'),
    by: heavy ? 'bytes' : 'tokens',
    bytes,
    ...(row.requestBytes === undefined ? {} : { bytesLimit: row.requestBytes }),
    ...(cliff === undefined ? {} : { cliff }),
  };
}

function inputOf({ input, measured, error }: SizeForecast): Pick<Gauge, 'input' | 'margin'> {
  return { input, ...(error === undefined ? {} : { margin: Math.ceil((input - measured) * error) }) };
}

function tierAt(ratio: number, soft = 1): Tier {
  const reached = TIERS.find(({ tier, from }) => ratio >= (tier === 'warning' ? Math.min(from, soft) : from));
  return reached?.tier ?? 'calm';
}

/** Whether one tier is nearer the limit than another. */
export function isAbove(tier: Tier, other: Tier): boolean {
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
