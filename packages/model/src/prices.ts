// What a call costs, in exact decimals: a price picked by day and length, times the disjoint buckets of its usage (L7).

import { Decimal } from 'decimal.js';

import type { Capabilities, Price } from './capabilities.ts';
import type { CacheWrite, Ttl, Usage } from './usage.ts';

/** US dollars as exact decimal text, by bucket: `{ fresh: "0.0429", ... }`. `total` is the sum of the other four. */
export interface Cost {
  readonly fresh: string;
  readonly read: string;
  readonly writes: string;
  /** Reasoning included: it is billed as output. */
  readonly answer: string;
  readonly total: string;
}

// 40 digits hold any price of the catalog times any safe integer; a division by the base price is rounded on its own.
const Exact = Decimal.clone({ precision: 40 });
const MILLION = new Exact(1_000_000);
const MULTIPLIER_DIGITS = 12;

/**
 * The price in force on a day (`YYYY-MM-DD`) for a request of so many input tokens, the whole request priced by its
 * length. `undefined` before the first day that the row knows of, or where it knows no price.
 */
export function priceAt(capabilities: Capabilities, day: string, inputTokens: number): Price | undefined {
  const list = capabilities.prices.findLast((one) => one.from <= day);
  return (list?.tiers.findLast((tier) => inputTokens > tier.above) ?? list?.tiers[0])?.price;
}

/**
 * What a call costs. `undefined` when a bucket is unknown, or holds tokens that have no known price: an unknown is never
 * counted as 0. Absent `reasoning` is no unknown: `answer` then holds all of the output.
 */
export function costOf(price: Price, usage: Usage): Cost | undefined {
  const fresh = amount(usage.fresh, price.input);
  const read = amount(usage.read, price.read);
  const writes = amountWritten(usage.writes, price);
  const answer = amount(usage.answer === undefined ? undefined : usage.answer + (usage.reasoning ?? 0), price.output);
  if (fresh === undefined || read === undefined || writes === undefined || answer === undefined) return undefined;
  const total = fresh.plus(read).plus(writes).plus(answer);
  return {
    fresh: fresh.toFixed(),
    read: read.toFixed(),
    writes: writes.toFixed(),
    answer: answer.toFixed(),
    total: total.toFixed(),
  };
}

/**
 * What a token of this bucket costs in units of a fresh one: `"0.1"` for a read, `"1.25"` for a write. Rounded to 12
 * digits where the division has no end. `undefined` where the price is unknown, or fresh input is free.
 */
export function multiplier(price: Price, bucket: 'read' | Ttl): string | undefined {
  const text = bucket === 'read' ? price.read : price.writes[bucket];
  const base = new Exact(price.input);
  if (text === undefined || base.isZero()) return undefined;
  return new Exact(text).div(base).toSignificantDigits(MULTIPLIER_DIGITS).toFixed();
}

/** The exact sum of amounts of US dollars. */
export function sumOfMoney(amounts: readonly string[]): string {
  return amounts.reduce((sum, one) => sum.plus(one), new Exact(0)).toFixed();
}

function amount(tokens: number | undefined, perMillion: string | undefined): Decimal | undefined {
  if (tokens === 0) return new Exact(0);
  if (tokens === undefined || perMillion === undefined) return undefined;
  return new Exact(perMillion).times(tokens).div(MILLION);
}

function amountWritten(writes: readonly CacheWrite[] | undefined, price: Price): Decimal | undefined {
  return writes?.reduce<Decimal | undefined>((sum, { ttl, tokens }) => {
    const one = amount(tokens, price.writes[ttl]);
    return one === undefined ? undefined : sum?.plus(one);
  }, new Exact(0));
}
