// Prices of a call: the cost that was paid, and the cost of the same tokens in other cases. The other cases are:
// without a cache, with an ideal cache, and at another model's prices. All prices are exact, in US dollars, and include
// the output.

import type { Money, Usage } from '@tidemark/log';
import { money } from '@tidemark/log';
import type { Capabilities, Price, Ttl } from '@tidemark/model';
import { costOf, inputTokens, priceAt } from '@tidemark/model';
import type { CliffCost } from '../pressure/gauge.ts';
import { cliffCost } from '../pressure/gauge.ts';
import type { ModelCall } from './model-call.ts';

/** Prices of one call. An absent price is unknown. */
export interface PricedCall {
  /**
   * Cost that was recorded with the answer. If no cost was recorded, it is computed from the price that the catalog row
   * has for the day of the call.
   */
  readonly paid: Money | undefined;
  readonly uncached: Money | undefined;
  /**
   * Cost if each token sent for the first time is written to the cache and each token sent before is read from the
   * cache.
   */
  readonly ideal: Money | undefined;
  /**
   * Part of `paid` that the length of the request added. A cliff is an input length above which the whole request costs
   * more. Absent if the request is not above a cliff.
   */
  readonly dearer: CliffCost | undefined;
  /** Cost at the prices of another model. That model is assumed to count and cache in the same way. */
  readonly other: Money | undefined;
}

/** Returns the prices of a call. `other` is the catalog row of another model. */
export function priceCall(call: ModelCall, other?: Capabilities): PricedCall {
  const { usage, unsent } = call;
  const price = priceIn(call.row, call);
  const input = inputTokens(usage);
  const uncached = input === undefined ? undefined : { ...usage, fresh: input, read: 0, writes: [] };
  return {
    paid: call.cost ?? total(price, usage),
    uncached: total(price, uncached),
    ideal: total(
      price,
      price && input !== undefined && unsent !== undefined ? ideal(usage, price, input, unsent) : undefined,
    ),
    dearer: call.row === undefined ? undefined : cliffCost({ capabilities: call.row, at: call.at, usage }),
    other: total(priceIn(other, call), inPricesOf(priceIn(other, call), usage)),
  };
}

function priceIn(row: Capabilities | undefined, { at, usage }: ModelCall): Price | undefined {
  const input = inputTokens(usage);
  return row === undefined || input === undefined ? undefined : priceAt(row, at.slice(0, 10), input);
}

function total(price: Price | undefined, usage: Usage | undefined): Money | undefined {
  const cost = price === undefined || usage === undefined ? undefined : costOf(price, usage);
  return cost === undefined ? undefined : money(cost.total);
}

function ideal(usage: Usage, price: Price, input: number, unsent: number): Usage {
  const tokens = Math.min(input, unsent);
  return { ...usage, read: input - tokens, ...writeUsage(price, tokens, 0) };
}

/**
 * Returns a usage in which every write lifetime has a price. Tokens written with another lifetime move to the shortest
 * lifetime that has a price. If no lifetime has a price, they move to `fresh`. Returns `undefined` if the price, the
 * writes or the fresh tokens are unknown.
 */
function inPricesOf(price: Price | undefined, usage: Usage): Usage | undefined {
  if (price === undefined || usage.writes === undefined || usage.fresh === undefined) return undefined;
  const sold = usage.writes.filter(({ ttl }) => price.writes[ttl] !== undefined);
  const others = usage.writes.filter(({ ttl }) => price.writes[ttl] === undefined);
  const tokens = others.reduce((sum, write) => sum + write.tokens, 0);
  const { fresh, writes } = writeUsage(price, tokens, usage.fresh);
  return { ...usage, fresh, writes: [...sold, ...writes] };
}

const LIVES: readonly Ttl[] = ['5m', '30m', '1h', '12h'];

/**
 * Adds `tokens` written tokens to the shortest write lifetime that has a price. If no lifetime has a price, adds them
 * to `fresh`. Returns both buckets.
 */
function writeUsage(price: Price, tokens: number, fresh: number): Required<Pick<Usage, 'fresh' | 'writes'>> {
  const ttl = LIVES.find((life) => price.writes[life] !== undefined);
  return ttl === undefined ? { fresh: fresh + tokens, writes: [] } : { fresh, writes: [{ ttl, tokens }] };
}
