// How far off forecasts were (L7: an estimate says that it is one, and how far off it has been).

import { allWritten } from '@tidemark/model';
import type { ModelCall } from './model-call.ts';

/** Input tokens of a call, and those that came to another bucket than forecast, or to none; `undefined` when unknown. */
export function forecastError(
  call: Pick<ModelCall, 'usage' | 'forecast'>,
): { readonly calls: 1; readonly input: number; readonly off: number } | undefined {
  const { usage, forecast } = call;
  const { fresh, read } = usage;
  const written = allWritten(usage);
  // Where nobody knows how a provider caches, the forecast says what no cache would cost: it has no error to speak of.
  if (forecast === undefined || forecast.caching === 'unknown') return undefined;
  if (fresh === undefined || read === undefined || written === undefined) return undefined;
  const over = [fresh - forecast.fresh, read - forecast.read, written - forecast.write];
  const more = over.reduce((sum, one) => sum + Math.max(0, one), 0);
  const less = over.reduce((sum, one) => sum + Math.max(0, -one), 0);
  // A token that moved from one bucket to another counts once.
  return { calls: 1, input: fresh + read + written, off: Math.max(more, less) };
}
