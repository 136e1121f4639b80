// Usage and price of one call: sums over the buckets, buckets that can be derived, and costs. Costs are exact decimals,
// never floating-point numbers (L7).

import type { CacheWrite, Ttl, Usage } from '@tidemark/core';
import { Decimal } from 'decimal.js';
import type { Capabilities, Price } from './capabilities.ts';

/**
 * Returns all input tokens. This is the sum of the buckets. If a bucket is unknown, it is the total that the provider
 * reported. Returns `undefined` if both are unknown.
 */
export function inputTokens(usage: Usage): number | undefined {
  const cached = cachedTokens(usage);
  return cached === undefined || usage.fresh === undefined ? usage.input : cached + usage.fresh;
}

/**
 * Returns the tokens of the request that were in the cache after the call: tokens read plus tokens written. Returns
 * `undefined` if either is unknown.
 */
export function cachedTokens(usage: Usage): number | undefined {
  const written = allWritten(usage);
  return usage.read === undefined || written === undefined ? undefined : usage.read + written;
}

/** Returns all tokens written, over all lifetimes, or `undefined` if unknown. */
export function allWritten({ writes, written }: Usage): number | undefined {
  return writes === undefined ? written : writtenTokens(writes);
}

/** Returns all output tokens, including reasoning, or `undefined` if unknown. */
export function outputTokens({ answer, reasoning = 0 }: Usage): number | undefined {
  return answer === undefined ? undefined : answer + reasoning;
}

/** Returns the sum of the tokens over all lifetimes. */
export function writtenTokens(writes: readonly CacheWrite[]): number {
  return writes.reduce((sum, write) => sum + write.tokens, 0);
}

/** Facts about a call from which `completeUsage` derives buckets that the provider did not report. */
export interface CallFacts {
  /** Lifetimes that the markers of the request asked for. Empty if the request had no markers. */
  readonly lives: readonly Ttl[];
  /** `false` if the model's prices are known and contain no price for writes. Each token is then fresh or read. */
  readonly billsWrites: boolean;
  /** `false` if the catalog records that the model's prompts are not cached. Each token is then fresh. */
  readonly caches: boolean;
}

/**
 * Returns the usage with the buckets that can be derived from the request and the model. Other unknown buckets stay
 * unknown.
 *
 * - Written tokens get the lifetime of the markers if all markers asked for the same one.
 * - A model that does not bill writes has no written tokens.
 * - A model without a cache also has no read tokens.
 */
export function completeUsage(usage: Usage, { lives, billsWrites, caches }: CallFacts): Usage {
  const { input, written, ...counts } = usage;
  if (counts.writes !== undefined) return usage;
  const [life, ...others] = new Set(lives);
  if (written !== undefined) {
    return life === undefined || others.length > 0 ? usage : { ...counts, writes: [{ ttl: life, tokens: written }] };
  }
  const read = counts.read ?? (caches ? undefined : 0);
  if (billsWrites || input === undefined || read === undefined) return usage;
  return { ...counts, fresh: input - read, read, writes: [] };
}

/**
 * Cost of a call in US dollars, as exact decimal text by bucket: `{ fresh: "0.0429", ... }`. `total` is the sum of the
 * other four amounts.
 */
export interface Cost {
  readonly fresh: string;
  readonly read: string;
  readonly writes: string;
  /** Cost of all output, including reasoning, which is billed as output. */
  readonly answer: string;
  readonly total: string;
}

// 40 digits are enough to multiply any catalog price by any safe integer without rounding. `multiplier` rounds its
// division separately.
const Exact = Decimal.clone({ precision: 40 });
const MILLION = new Exact(1_000_000);
const MULTIPLIER_DIGITS = 12;

/**
 * Returns the price on a day (`YYYY-MM-DD`) for a request with `input` input tokens. If a long input changes the price,
 * the new price applies to the whole request. Returns `undefined` before the first day in the row, or if the row has no
 * price.
 */
export function priceAt(capabilities: Capabilities, day: string, input: number): Price | undefined {
  const list = capabilities.prices.findLast((one) => one.from <= day);
  return (list?.tiers.findLast((tier) => input > tier.above) ?? list?.tiers[0])?.price;
}

/**
 * Returns the cost of a call. Returns `undefined` if a bucket is unknown or contains tokens without a known price,
 * because an unknown amount is never counted as 0. If `reasoning` is absent, `answer` contains all of the output.
 */
export function costOf(price: Price, usage: Usage): Cost | undefined {
  return integerCost(price, usage) ?? decimalCost(price, usage);
}

function decimalCost(price: Price, usage: Usage): Cost | undefined {
  const fresh = amount(usage.fresh, price.input);
  const read = amount(usage.read, price.read);
  const writes = amountWritten(usage.writes, price);
  const answer = amount(outputTokens(usage), price.output);
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

// Most prices per million tokens have few decimals. Their amounts are then integers of 10^-12 dollars, which are added
// ten times faster than decimals. The next functions return `undefined` for all others.

/** Returns the same cost as `decimalCost`. */
function integerCost(price: Price, usage: Usage): Cost | undefined {
  const fresh = integerAmount(usage.fresh, price.input);
  const read = integerAmount(usage.read, price.read);
  const answer = integerAmount(outputTokens(usage), price.output);
  if (fresh === undefined || read === undefined || answer === undefined || usage.writes === undefined) return undefined;
  let writes = 0;
  for (const { ttl, tokens } of usage.writes) {
    const one = integerAmount(tokens, price.writes[ttl]);
    if (one === undefined) return undefined;
    writes += one;
  }
  const total = fresh + read + writes + answer;
  if (total > Number.MAX_SAFE_INTEGER) return undefined;
  return {
    fresh: integerText(fresh),
    read: integerText(read),
    writes: integerText(writes),
    answer: integerText(answer),
    total: integerText(total),
  };
}

function integerAmount(tokens: number | undefined, perMillion: string | undefined): number | undefined {
  if (tokens === 0) return 0;
  if (tokens === undefined || perMillion === undefined || tokens < 0 || !PLAIN.test(perMillion)) return undefined;
  const point = perMillion.indexOf('.');
  const whole = point === -1 ? perMillion : perMillion.slice(0, point);
  const decimals = point === -1 ? '' : perMillion.slice(point + 1);
  const product = tokens * Number(whole + decimals.padEnd(PRICE_DECIMALS, '0'));
  return Number.isSafeInteger(product) ? product : undefined;
}

const PRICE_DECIMALS = 6;
/** Price with at most six decimals, and small enough for an exact product. */
const PLAIN = /^\d{1,6}(\.\d{1,6})?$/;

function integerText(value: number): string {
  if (value === 0) return '0';
  const digits = String(value).padStart(AMOUNT_DECIMALS + 1, '0');
  const decimals = digits.slice(-AMOUNT_DECIMALS).replace(/0+$/, '');
  const whole = digits.slice(0, -AMOUNT_DECIMALS);
  return decimals === '' ? whole : `${whole}.${decimals}`;
}

const AMOUNT_DECIMALS = 12;

/**
 * Returns the maximum cost of a call whose total input is known, but whose buckets are not all known.
 *
 * If the bucket of input tokens is unknown, they get the highest price that is possible for them. An unknown read price
 * is replaced by the input price. `lives` are the lifetimes that the request asked for. The default is every lifetime
 * with a price. Returns `undefined` if the input or the output is unknown, or if a lifetime has no price.
 */
export function costAtMost(price: Price, usage: Usage, lives?: readonly Ttl[]): string | undefined {
  const input = inputTokens(usage);
  const output = outputTokens(usage);
  if (input === undefined || output === undefined) return undefined;
  const { fresh = 0, read = 0, writes = [], written } = usage;
  const open = Math.max(0, input - fresh - read - writtenTokens(writes));
  const dearest = dearestOf(price, lives, written !== undefined);
  const known = costOf({ ...price, read: price.read ?? price.input }, { fresh, read, writes, answer: output });
  const rest = amount(open, dearest);
  return known === undefined || rest === undefined ? undefined : new Exact(known.total).plus(rest).toFixed();
}

/**
 * Returns the highest possible price of an input token whose bucket is unknown, per million tokens. With `isWrite`, the
 * tokens are known to be written, so the price of fresh input does not apply.
 */
function dearestOf({ input, writes }: Price, lives: readonly Ttl[] | undefined, isWrite: boolean): string | undefined {
  const sold = Object.values(writes);
  if (sold.length === 0) return input;
  const asked = lives === undefined || lives.length === 0 ? sold : lives.map((life) => writes[life]);
  const known = asked.filter((one) => one !== undefined);
  if (known.length < asked.length) return undefined;
  return Exact.max(...known, ...(isWrite ? [] : [input])).toFixed();
}

/**
 * Returns the price of a token in this bucket relative to a fresh token: `"0.1"` for a read, `"1.25"` for a write. A
 * quotient with infinitely many digits is rounded to 12 digits. Returns `undefined` if the price is unknown or fresh
 * input is free.
 */
export function multiplier(price: Price, bucket: 'read' | Ttl): string | undefined {
  const text = bucket === 'read' ? price.read : price.writes[bucket];
  const base = new Exact(price.input);
  if (text === undefined || base.isZero()) return undefined;
  return new Exact(text).div(base).toSignificantDigits(MULTIPLIER_DIGITS).toFixed();
}

/** Returns the exact sum of amounts in US dollars. */
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
