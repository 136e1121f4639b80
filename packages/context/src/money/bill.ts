// Bills of calls, and of the same calls in three other cases: uncached, ideally cached, or cached with entries that
// expire. Amounts are exact decimals in units of the base input price. In this unit, the price of one fresh token is 1.

import type { Timestamp, Usage } from '@tidemark/log';
import { milliseconds } from '@tidemark/log';
import type { Capabilities, Price } from '@tidemark/model';
import { multiplier, priceAt } from '@tidemark/model';
import { Decimal } from 'decimal.js';
import { LIFE } from '../cache/entries.ts';

/** Billed call with the values that are needed to compute its cost in other cases (`Bill`). */
export interface BilledCall {
  readonly capabilities: Capabilities;
  /** Time when the call was sent. */
  readonly at: Timestamp;
  readonly usage: Usage;
  /** Input tokens that were never sent on this stream before. */
  readonly unsent: number;
  /** Time when the previous call on its stream was sent. */
  readonly before: Timestamp | undefined;
}

/** Costs of one or several calls in several cases, in units of the base input price. `billed` is the actual cost. */
export interface Bill {
  readonly tokens: number;
  readonly billed: Decimal;
  /** Cost if each token is written when it is sent for the first time, and is read each time it is sent again. */
  readonly ideal: Decimal;
  /**
   * Cost of the ideal case, but with entries that expire. They expire after five minutes. If the provider keeps entries
   * without markers, they expire after the provider's own lifetime.
   */
  readonly expiring: Decimal;
  /** Cost if every token is fresh. */
  readonly uncached: Decimal;
}

export const NO_BILL: Bill = {
  tokens: 0,
  billed: new Decimal(0),
  ideal: new Decimal(0),
  expiring: new Decimal(0),
  uncached: new Decimal(0),
};

/** Returns the bill of one call, or `undefined` if its input or its price is unknown (L7). */
export function billOf(call: BilledCall): Bill | undefined {
  const { fresh, read, writes } = call.usage;
  if (fresh === undefined || read === undefined || writes === undefined) return undefined;
  const written = writes.reduce((sum, write) => sum + write.tokens, 0);
  const tokens = fresh + read + written;
  const price = unitPrice(call.capabilities, call.at, tokens);
  if (price === undefined) return undefined;
  const rate = ratesOf(price);
  const old = tokens - Math.min(tokens, call.unsent);
  const ideal = rate.write.times(tokens - old).plus(rate.read.times(old));
  const paid = writes.map((write) => new Decimal(multiplier(price, write.ttl) ?? rate.write).times(write.tokens));
  return {
    tokens,
    billed: Decimal.sum(fresh, rate.read.times(read), ...paid),
    ideal,
    expiring: hasExpired(call) ? rate.write.times(tokens) : ideal,
    uncached: new Decimal(tokens),
  };
}

/**
 * Returns the price that applies at a time to a request with `input` tokens. If the time is before the first known
 * price, the oldest price of the catalog row is returned. The price is used only for ratios of prices.
 */
export function unitPrice(capabilities: Capabilities, at: Timestamp, input: number): Price | undefined {
  const oldest = capabilities.prices[0]?.from ?? at;
  return priceAt(capabilities, at.slice(0, 10), input) ?? priceAt(capabilities, oldest, input);
}

/**
 * Returns the read and write prices divided by the input price. The write price is the price of the shortest lifetime.
 * If the model does not charge for writes, it is the input price.
 */
export function ratesOf(price: Price): { readonly read: Decimal; readonly write: Decimal } {
  const write = multiplier(price, '5m') ?? multiplier(price, '30m') ?? 1;
  return { read: new Decimal(multiplier(price, 'read') ?? 1), write: new Decimal(write) };
}

function hasExpired({ capabilities: { implicit }, at, before }: BilledCall): boolean {
  const life = implicit === undefined ? LIFE['5m'] : implicit.idle * 60_000;
  return before !== undefined && milliseconds(at) - milliseconds(before) >= life;
}

export function addBills(a: Bill, b: Bill): Bill {
  return {
    tokens: a.tokens + b.tokens,
    billed: a.billed.plus(b.billed),
    ideal: a.ideal.plus(b.ideal),
    expiring: a.expiring.plus(b.expiring),
    uncached: a.uncached.plus(b.uncached),
  };
}
