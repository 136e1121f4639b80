// Computes the maximum cost of a smoke test before anything is sent. The maximum assumes that every call writes its
// whole input to the cache and gives the longest answer.

import type { Capabilities, Ttl } from '@tidemark/model';
import { costOf, inputTokens, priceAt, sumOfMoney } from '@tidemark/model';

import type { MeteredCall } from './meter.ts';

/** Maximum cost of one smoke test, in US dollars. */
export const MAX_DOLLARS = 0.05;
/** Maximum length of an answer, in tokens. */
export const ANSWER_TOKENS = 64;

/**
 * Factor by which the actual number of tokens can exceed the estimate. Newer models count more tokens for the same
 * text.
 */
const ERROR = 1.5;
/** Tokens that the runtime's notes and the second prompt add to a request. */
const BESIDE = 300;

/**
 * Returns the maximum price of one call, in US dollars as exact decimal text. Returns `undefined` if the row has no
 * price.
 *
 * @param tokens estimated tokens of front and prompt
 * @param day day for the prices, as `YYYY-MM-DD`
 */
export function mostForCall(
  row: Capabilities,
  tokens: number,
  day: string,
  ttl: '5m' | '1h' = '5m',
): string | undefined {
  const most = Math.ceil(ERROR * tokens) + BESIDE;
  const price = priceAt(row, day, most);
  if (price === undefined) return undefined;
  const sold = row.ttls.includes(ttl) ? ttl : cheapest(row.ttls);
  const written = sold !== undefined && price.writes[sold] !== undefined ? [{ ttl: sold, tokens: most }] : [];
  const fresh = written.length === 0 ? most : 0;
  return costOf(price, { fresh, read: 0, writes: written, answer: ANSWER_TOKENS })?.total;
}

/** Returns the maximum cost of `calls` calls in US dollars. `each` is the maximum cost of one call. */
export function mostFor(calls: number, each: string): string {
  return sumOfMoney(Array.from({ length: calls }, () => each));
}

/**
 * Returns the cheapest lifetime. A row lists its lifetimes from short to long, and the shortest lifetime is the
 * cheapest.
 */
function cheapest(ttls: readonly Ttl[]): Ttl | undefined {
  return ttls[0];
}

/**
 * Returns the cost of these calls, in US dollars as exact decimal text. If the usage or the price of a call is unknown,
 * returns `undefined`.
 */
export function spentOn(row: Capabilities, calls: readonly MeteredCall[], day: string): string | undefined {
  const each = calls.map(({ usage }) => {
    const price = priceAt(row, day, inputTokens(usage) ?? 0);
    return price === undefined ? undefined : costOf(price, usage)?.total;
  });
  const known = each.filter((cost) => cost !== undefined);
  return known.length === each.length ? sumOfMoney(known) : undefined;
}
