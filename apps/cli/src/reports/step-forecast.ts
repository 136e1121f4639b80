// Compares the forecast of a call with its usage. Reports how much the forecasts differ from the usage (L7).

import { forecastError } from '@tidemark/context';
import type { AnswerReceived, CallForecast, Usage } from '@tidemark/log';
import { writtenTokens } from '@tidemark/model';

import { dollars, formatNumber, percent } from '../frame/numbers.ts';

/**
 * Formats the forecast and the result: `forecast: 11,132 read, 555 written, 0 fresh, $0.0036 before the answer; it was
 * exact`.
 */
export function forecastLine(forecast: CallForecast, usage: Usage | undefined): string {
  const cost = forecast.cost === undefined ? 'unknown price' : `${dollars(forecast.cost)} before the answer`;
  if (forecast.caching === 'unknown') return `forecast: at most ${cost}; the caching of the provider is unknown`;
  const expected = `forecast: ${buckets(forecast.read, forecast.write, forecast.fresh)}, ${cost}`;
  if (usage?.read === undefined || usage.writes === undefined || usage.fresh === undefined)
    return `${expected}; the actual values are unknown`;
  const written = writtenTokens(usage.writes);
  const same = usage.read === forecast.read && written === forecast.write && usage.fresh === forecast.fresh;
  return same ? `${expected}; it was exact` : `${expected}\nactual:   ${buckets(usage.read, written, usage.fresh)}`;
}

function buckets(read: number, written: number, fresh: number): string {
  return `${formatNumber(read)} read, ${formatNumber(written)} written, ${formatNumber(fresh)} fresh`;
}

/**
 * Totals over the calls with a forecast and usage: the number of calls, their input in tokens, and the part of the
 * input that differs from the forecast.
 */
export interface ForecastsOff {
  readonly calls: number;
  readonly input: number;
  readonly off: number;
}

/** Returns the totals with one more answer. If the answer has no forecast or no usage, the totals stay the same. */
export function addForecast(sums: ForecastsOff, { usage, forecast }: AnswerReceived): ForecastsOff {
  const one = forecast && forecastError({ usage, forecast });
  if (one === undefined) return sums;
  return { calls: sums.calls + 1, input: sums.input + one.input, off: sums.off + one.off };
}

/**
 * Returns the forecast error, such as `; forecast error 0.4% of the input`. If no call was compared, returns an empty
 * string.
 */
export function forecastsOff({ calls, input, off }: ForecastsOff): string {
  return calls === 0 ? '' : `; forecast error ${percent(off, input)} of the input`;
}
