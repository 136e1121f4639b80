// What calls cost, and what the same calls would have cost: uncached, ideally cached, or cached with entries that expire.
// In exact decimals, in units of the base input price: 1 is one token read fresh.

import type { Timestamp, Usage } from '@tidemark/log';
import { milliseconds } from '@tidemark/log';
import type { Capabilities, Price } from '@tidemark/model';
import { multiplier, priceAt } from '@tidemark/model';
import { Decimal } from 'decimal.js';
import { LIFE } from '../cache/entries.ts';

/** One billed call, as the counterfactuals need it. */
export interface BilledCall {
  readonly capabilities: Capabilities;
  /** When the call was sent. */
  readonly at: Timestamp;
  readonly usage: Usage;
  /** Input tokens that were never sent on this stream before. */
  readonly unsent: number;
  /** When the call before it on its stream was sent. */
  readonly before: Timestamp | undefined;
}

/** Costs of one or many calls, in units of the base input price. */
export interface Bill {
  readonly tokens: number;
  readonly billed: Decimal;
  /** Every new token written once, every old one read. */
  readonly ideal: Decimal;
  /** The same with entries that live five minutes, or as long as the provider keeps them by itself. */
  readonly expiring: Decimal;
  /** Everything fresh. */
  readonly uncached: Decimal;
}

/** The bill of nothing. */
export const NO_BILL: Bill = {
  tokens: 0,
  billed: new Decimal(0),
  ideal: new Decimal(0),
  expiring: new Decimal(0),
  uncached: new Decimal(0),
};

/** The bill of one call; `undefined` when its input or its price is unknown (L7). */
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

/** The price whose proportions hold on a day: before the first day that the row knows, the oldest that it knows. */
export function unitPrice(capabilities: Capabilities, at: Timestamp, input: number): Price | undefined {
  const oldest = capabilities.prices[0]?.from ?? at;
  return priceAt(capabilities, at.slice(0, 10), input) ?? priceAt(capabilities, oldest, input);
}

/** Read and write prices over the input price, a write in its shortest life. A model that charges no writes writes at the input price. */
export function ratesOf(price: Price): { readonly read: Decimal; readonly write: Decimal } {
  const write = multiplier(price, '5m') ?? multiplier(price, '30m') ?? 1;
  return { read: new Decimal(multiplier(price, 'read') ?? 1), write: new Decimal(write) };
}

function hasExpired({ capabilities: { implicit }, at, before }: BilledCall): boolean {
  const life = implicit === undefined ? LIFE['5m'] : implicit.idle * 60_000;
  return before !== undefined && milliseconds(at) - milliseconds(before) >= life;
}

/** The bill of both. */
export function addBills(a: Bill, b: Bill): Bill {
  return {
    tokens: a.tokens + b.tokens,
    billed: a.billed.plus(b.billed),
    ideal: a.ideal.plus(b.ideal),
    expiring: a.expiring.plus(b.expiring),
    uncached: a.uncached.plus(b.uncached),
  };
}
