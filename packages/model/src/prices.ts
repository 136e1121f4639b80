// The usage of one call: sums over its buckets, the buckets that follow from what else is known of it, and its price. Exact decimals, never
// floating point (L7).

import type { CacheWrite, Ttl, Usage } from '@tidemark/core';
import { Decimal } from 'decimal.js';
import type { Capabilities, Price } from './capabilities.ts';

/** All input tokens: the sum of the buckets, else the total that the provider told; `undefined` when both are unknown. */
export function inputTokens(usage: Usage): number | undefined {
  const cached = cachedTokens(usage);
  return cached === undefined || usage.fresh === undefined ? usage.input : cached + usage.fresh;
}

/** Tokens that the cache held after the call: read or written; `undefined` when one of them is unknown. */
export function cachedTokens(usage: Usage): number | undefined {
  const written = allWritten(usage);
  return usage.read === undefined || written === undefined ? undefined : usage.read + written;
}

/** All tokens written, whatever their lifetimes; `undefined` when unknown. */
export function allWritten({ writes, written }: Usage): number | undefined {
  return writes === undefined ? written : writtenTokens(writes);
}

/** All output tokens, reasoning included; `undefined` when unknown. */
export function outputTokens({ answer, reasoning = 0 }: Usage): number | undefined {
  return answer === undefined ? undefined : answer + reasoning;
}

/** The sum over all lifetimes. */
export function writtenTokens(writes: readonly CacheWrite[]): number {
  return writes.reduce((sum, write) => sum + write.tokens, 0);
}

/** What is known of a call besides its counts, where the counts leave a bucket open. */
export interface CallFacts {
  /** Lifetimes that the markers of the request asked for; an empty list where it had none. */
  readonly lives: readonly Ttl[];
  /** `false` where the price list of the model is known and has no price for a write: a token is fresh or read. */
  readonly billsWrites: boolean;
  /** `false` where the catalog says that the model's prompts are not cached: every token is fresh. */
  readonly caches: boolean;
}

/**
 * Usage with the buckets that follow from the request and the model: tokens written have the one lifetime that was asked
 * for, a model that bills no writes has none, and one without a cache has no reads either. A bucket that does not follow
 * stays unknown.
 */
export function completeUsage(usage: Usage, { lives, billsWrites, caches }: CallFacts): Usage {
  const { input, written, ...told } = usage;
  if (told.writes !== undefined) return usage;
  const [life, ...others] = new Set(lives);
  if (written !== undefined) {
    return life === undefined || others.length > 0 ? usage : { ...told, writes: [{ ttl: life, tokens: written }] };
  }
  const read = told.read ?? (caches ? undefined : 0);
  if (billsWrites || input === undefined || read === undefined) return usage;
  return { ...told, fresh: input - read, read, writes: [] };
}

// What a call costs, in exact decimals: a price picked by day and length, times the disjoint buckets of its usage (L7).

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
export function priceAt(capabilities: Capabilities, day: string, input: number): Price | undefined {
  const list = capabilities.prices.findLast((one) => one.from <= day);
  return (list?.tiers.findLast((tier) => input > tier.above) ?? list?.tiers[0])?.price;
}

/**
 * What a call costs. `undefined` when a bucket is unknown, or holds tokens that have no known price: an unknown is never
 * counted as 0. Absent `reasoning` is no unknown: `answer` then holds all of the output.
 */
export function costOf(price: Price, usage: Usage): Cost | undefined {
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

/**
 * The most that a call can cost whose total is known and whose buckets are not: tokens without a bucket are priced as the
 * dearest that they can be, an untold read price as the input price. `lives` are the lifetimes that the request asked for;
 * every lifetime on sale by default. `undefined` when the input or the output is unknown, or a lifetime has no price.
 */
export function costAtMost(price: Price, usage: Usage, lives?: readonly Ttl[]): string | undefined {
  const input = inputTokens(usage);
  const output = outputTokens(usage);
  if (input === undefined || output === undefined) return undefined;
  const { fresh = 0, read = 0, writes = [], written } = usage;
  const open = Math.max(0, input - fresh - read - writtenTokens(writes));
  const dearest = dearestOf(price, lives, written !== undefined);
  const told = costOf({ ...price, read: price.read ?? price.input }, { fresh, read, writes, answer: output });
  const rest = amount(open, dearest);
  return told === undefined || rest === undefined ? undefined : new Exact(told.total).plus(rest).toFixed();
}

/** The highest price per million of a token whose bucket is open: a write, or also fresh input where that is not ruled out. */
function dearestOf({ input, writes }: Price, lives: readonly Ttl[] | undefined, isWrite: boolean): string | undefined {
  const sold = Object.values(writes);
  if (sold.length === 0) return input;
  const asked = lives === undefined || lives.length === 0 ? sold : lives.map((life) => writes[life]);
  const known = asked.filter((one) => one !== undefined);
  if (known.length < asked.length) return undefined;
  return Exact.max(...known, ...(isWrite ? [] : [input])).toFixed();
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
