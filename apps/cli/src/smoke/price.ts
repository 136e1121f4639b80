// What a smoke may cost at most, said before anything is sent: every call written anew, its answer as long as it may be.

import type { Capabilities, Ttl } from '@tidemark/model';
import { costOf, inputTokens, priceAt, sumOfMoney } from '@tidemark/model';

import type { MeteredCall } from './meter.ts';

/** US dollars that one smoke may cost. */
export const MOST_DOLLARS = 0.05;
/** Tokens that an answer may have. */
export const ANSWER_TOKENS = 64;

/** An estimate may be too low by so much: newer models count more tokens for the same text. */
const ERROR = 1.5;
/** What the runtime's notes and the second prompt add. */
const BESIDE = 300;

/**
 * The price of one call at most, in US dollars as exact decimal text; `undefined` where the row knows no price.
 *
 * @param tokens estimated, of front and prompt
 * @param day `YYYY-MM-DD`
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

/** The sum for so many calls. */
export function mostFor(calls: number, each: string): string {
  return sumOfMoney(Array.from({ length: calls }, () => each));
}

/** Lifetimes stand in the row from short to long. */
function cheapest(ttls: readonly Ttl[]): Ttl | undefined {
  return ttls[0];
}

/** What these calls cost, in US dollars as exact decimal text; `undefined` where one told too little. */
export function spentOn(row: Capabilities, calls: readonly MeteredCall[], day: string): string | undefined {
  const each = calls.map(({ usage }) => {
    const price = priceAt(row, day, inputTokens(usage) ?? 0);
    return price === undefined ? undefined : costOf(price, usage)?.total;
  });
  const known = each.filter((cost) => cost !== undefined);
  return known.length === each.length ? sumOfMoney(known) : undefined;
}
