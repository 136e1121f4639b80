// Sums over calls to models, and the rates that are read from them. What is unknown is counted apart and is in no sum (L7).

import type { Money } from '@tidemark/log';
import { money } from '@tidemark/log';
import type { Capabilities } from '@tidemark/model';
import { inputTokens, sumOfMoney, writtenTokens } from '@tidemark/model';
import { forecastError } from './forecast-error.ts';
import type { ModelCall } from './model-call.ts';
import type { Priced } from './price-call.ts';
import { priceCall } from './price-call.ts';

/** See the head of this file. Money is US dollars, exact. */
export interface Account {
  readonly calls: number;
  /** Calls whose input nobody told in whole: in no sum of tokens but those of the output. */
  readonly uncounted: number;
  /** Calls without a price: not in `cost`. */
  readonly unpriced: number;
  /** Disjoint (L7). `answer` holds the reasoning where a provider does not tell them apart. */
  readonly tokens: Tokens;
  /** What was paid, as far as it is known. */
  readonly cost: Money;
  /** The calls of which price, counts and what was new are all known: what they cost, and would have cost. */
  readonly compared: Compared;
  readonly other: AsOther;
  /** Tokens that were sent before and paid again. */
  readonly again: { readonly calls: number; readonly tokens: number; readonly cost: Money; readonly unpriced: number };
  /** Of the calls of which it is known what they could have read: that, and what they read. */
  readonly readable: { readonly calls: number; readonly held: number; readonly read: number };
  /** Tokens written that nobody can read any more, and those that a next call still could. */
  readonly unread: { readonly wasted: number; readonly waiting: number };
  /** Calls with a forecast and counts: their input tokens, and those that came to another bucket than forecast. */
  readonly forecast: { readonly calls: number; readonly input: number; readonly off: number };
}

/** Tokens in disjoint buckets. */
export interface Tokens {
  readonly fresh: number;
  readonly read: number;
  readonly written: number;
  readonly answer: number;
  readonly reasoning: number;
}

/** The same calls at three prices, their output included. */
export interface Compared {
  readonly calls: number;
  readonly paid: Money;
  readonly uncached: Money;
  /** Each new token written once, each old one read: what was new is an estimate. */
  readonly ideal: Money;
}

/** The same calls at the prices of another model, as if it had counted and cached alike; none where none was named. */
export interface AsOther {
  readonly calls: number;
  readonly paid: Money;
  readonly cost: Money;
}

const NOTHING: Money = money('0');

/** The account of no calls. */
export const NO_CALLS: Account = {
  calls: 0,
  uncounted: 0,
  unpriced: 0,
  tokens: { fresh: 0, read: 0, written: 0, answer: 0, reasoning: 0 },
  cost: NOTHING,
  compared: { calls: 0, paid: NOTHING, uncached: NOTHING, ideal: NOTHING },
  other: { calls: 0, paid: NOTHING, cost: NOTHING },
  again: { calls: 0, tokens: 0, cost: NOTHING, unpriced: 0 },
  readable: { calls: 0, held: 0, read: 0 },
  unread: { wasted: 0, waiting: 0 },
  forecast: { calls: 0, input: 0, off: 0 },
};

/** The account of one call; `other` is the row of another model to price it by. */
export function accountOf(call: ModelCall, other?: Capabilities): Account {
  const { usage, held, again, unread } = call;
  const input = inputTokens(usage);
  const { answer = 0, reasoning = 0, fresh = 0, read = 0, writes = [] } = usage;
  const prices = priceCall(call, other);
  return {
    calls: 1,
    uncounted: input === undefined ? 1 : 0,
    unpriced: prices.paid === undefined ? 1 : 0,
    tokens:
      input === undefined
        ? { ...NO_CALLS.tokens, answer, reasoning }
        : { fresh, read, written: writtenTokens(writes), answer, reasoning },
    cost: prices.paid ?? NOTHING,
    compared: comparedOf(prices),
    other: otherOf(prices),
    again:
      again === undefined
        ? NO_CALLS.again
        : { calls: 1, tokens: again.tokens, cost: again.cost ?? NOTHING, unpriced: again.cost === undefined ? 1 : 0 },
    readable: held === undefined || usage.read === undefined ? NO_CALLS.readable : { calls: 1, held, read },
    unread,
    forecast: forecastError(call) ?? NO_CALLS.forecast,
  };
}

function comparedOf({ paid, uncached, ideal }: Priced): Compared {
  if (paid === undefined || uncached === undefined || ideal === undefined) return NO_CALLS.compared;
  return { calls: 1, paid, uncached, ideal };
}

function otherOf({ paid, other }: Priced): AsOther {
  return paid === undefined || other === undefined ? NO_CALLS.other : { calls: 1, paid, cost: other };
}

/** The account of both. */
export function addAccounts(a: Account, b: Account): Account {
  return {
    calls: a.calls + b.calls,
    uncounted: a.uncounted + b.uncounted,
    unpriced: a.unpriced + b.unpriced,
    tokens: {
      fresh: a.tokens.fresh + b.tokens.fresh,
      read: a.tokens.read + b.tokens.read,
      written: a.tokens.written + b.tokens.written,
      answer: a.tokens.answer + b.tokens.answer,
      reasoning: a.tokens.reasoning + b.tokens.reasoning,
    },
    cost: add(a.cost, b.cost),
    compared: {
      calls: a.compared.calls + b.compared.calls,
      paid: add(a.compared.paid, b.compared.paid),
      uncached: add(a.compared.uncached, b.compared.uncached),
      ideal: add(a.compared.ideal, b.compared.ideal),
    },
    other: {
      calls: a.other.calls + b.other.calls,
      paid: add(a.other.paid, b.other.paid),
      cost: add(a.other.cost, b.other.cost),
    },
    again: {
      calls: a.again.calls + b.again.calls,
      tokens: a.again.tokens + b.again.tokens,
      cost: add(a.again.cost, b.again.cost),
      unpriced: a.again.unpriced + b.again.unpriced,
    },
    readable: {
      calls: a.readable.calls + b.readable.calls,
      held: a.readable.held + b.readable.held,
      read: a.readable.read + b.readable.read,
    },
    unread: { wasted: a.unread.wasted + b.unread.wasted, waiting: a.unread.waiting + b.unread.waiting },
    forecast: {
      calls: a.forecast.calls + b.forecast.calls,
      input: a.forecast.input + b.forecast.input,
      off: a.forecast.off + b.forecast.off,
    },
  };
}

function add(a: Money, b: Money): Money {
  return money(sumOfMoney([a, b]));
}

/** Shares between 0 and 1, each `null` where there is nothing to take a share of. */
export interface Rates {
  /** Read, of all input. */
  readonly hitRate: number | null;
  /** Written, of all input: over N calls with one growing prefix it tends to 2 / (N + 1). */
  readonly writeShare: number | null;
  /** Read, of what could have been read. */
  readonly coverage: number | null;
  /** Input tokens that came to another bucket than forecast, of all that were forecast. */
  readonly forecastError: number | null;
}

/** The rates of an account. */
export function ratesOfAccount({ tokens, readable, forecast }: Account): Rates {
  const input = tokens.fresh + tokens.read + tokens.written;
  return {
    hitRate: share(tokens.read, input),
    writeShare: share(tokens.written, input),
    coverage: share(readable.read, readable.held),
    forecastError: share(forecast.off, forecast.input),
  };
}

function share(part: number, whole: number): number | null {
  return whole === 0 ? null : part / whole;
}
