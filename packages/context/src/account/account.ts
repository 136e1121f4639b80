// Sums over calls to models, and the rates that are read from them. What is unknown is counted apart and is in no sum (L7).

import type { Money, Usage } from '@tidemark/log';
import { money } from '@tidemark/log';
import type { Capabilities } from '@tidemark/model';
import { allWritten, inputTokens, outputTokens, sumOfMoney } from '@tidemark/model';
import { forecastError } from './model-call.ts';
import type { ModelCall } from './model-call.ts';
import type { PricedCall } from './price-call.ts';
import { priceCall } from './price-call.ts';

/** Sums over calls to models. A value that is unknown is counted apart and is in no sum. Money is US dollars, exact. */
export interface Account {
  readonly calls: number;
  /** Calls whose total input is unknown: in no sum of tokens but those of the output. */
  readonly uncounted: number;
  /** Calls whose output is unknown: in no sum of the output. */
  readonly unanswered: number;
  /** Calls whose cost is not known: not in `cost`. */
  readonly unpriced: number;
  /** Of the calls whose cost is not known: those that have a bound, and the most that they cost together. */
  readonly bounded: { readonly calls: number; readonly cost: Money };
  /** Of the calls without a count: those that were estimated, the tokens not counted, and what the calls cost at most. */
  readonly estimated: { readonly calls: number; readonly tokens: number; readonly cost: Money };
  /** Disjoint (L7). `answer` holds the reasoning where a provider does not tell them apart. */
  readonly tokens: Tokens;
  /** What was paid, as far as it is known. */
  readonly cost: Money;
  /** Calls longer than a length from which all of a request costs more, and what that added to `cost`, as far as it is known. */
  readonly dearer: { readonly calls: number; readonly cost: Money; readonly unpriced: number };
  /** The calls of which price, counts and what was new are all known: what they cost, and would have cost. */
  readonly compared: Compared;
  readonly other: AsOther;
  /** Tokens that were sent before and paid again. */
  readonly again: { readonly calls: number; readonly tokens: number; readonly cost: Money; readonly unpriced: number };
  /** Input of the calls whose reads are known, and of those whose writes are: what rates are taken of. */
  readonly rated: { readonly read: number; readonly written: number };
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
  /** Input whose total was told, and whose bucket was not. */
  readonly untold: number;
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
  unanswered: 0,
  unpriced: 0,
  bounded: { calls: 0, cost: NOTHING },
  estimated: { calls: 0, tokens: 0, cost: NOTHING },
  tokens: { fresh: 0, read: 0, written: 0, untold: 0, answer: 0, reasoning: 0 },
  cost: NOTHING,
  dearer: { calls: 0, cost: NOTHING, unpriced: 0 },
  compared: { calls: 0, paid: NOTHING, uncached: NOTHING, ideal: NOTHING },
  other: { calls: 0, paid: NOTHING, cost: NOTHING },
  again: { calls: 0, tokens: 0, cost: NOTHING, unpriced: 0 },
  rated: { read: 0, written: 0 },
  readable: { calls: 0, held: 0, read: 0 },
  unread: { wasted: 0, waiting: 0 },
  forecast: { calls: 0, input: 0, off: 0 },
};

/** The account of one call; `other` is the row of another model to price it by. */
export function accountOf(call: ModelCall, other?: Capabilities): Account {
  const { billed, ...whole } = call;
  return billed === undefined ? accountOfWhole(whole, other) : accountOfRest(whole, billed, other);
}

/** What a call used beyond what another record bills; that one counts the call. */
function accountOfRest(call: ModelCall, billed: Usage, other: Capabilities | undefined): Account {
  const [all, before] = [accountOfWhole(call, other), accountOfWhole({ ...call, usage: billed }, other)];
  const less = (a: Money, b: Money): Money => money(sumOfMoney([a, `-${b}`]));
  const { tokens: used } = all;
  const { tokens: known } = before;
  return {
    ...NO_CALLS,
    tokens: {
      fresh: used.fresh - known.fresh,
      read: used.read - known.read,
      written: used.written - known.written,
      untold: used.untold - known.untold,
      answer: used.answer - known.answer,
      reasoning: used.reasoning - known.reasoning,
    },
    cost: less(all.cost, before.cost),
    compared: {
      calls: 0,
      paid: less(all.compared.paid, before.compared.paid),
      uncached: less(all.compared.uncached, before.compared.uncached),
      ideal: less(all.compared.ideal, before.compared.ideal),
    },
    other: {
      calls: 0,
      paid: less(all.other.paid, before.other.paid),
      cost: less(all.other.cost, before.other.cost),
    },
  };
}

function accountOfWhole(call: ModelCall, other: Capabilities | undefined): Account {
  const { usage, held, again, unread } = call;
  const { read = 0 } = usage;
  const prices = priceCall(call, other);
  return {
    calls: 1,
    uncounted: inputTokens(usage) === undefined ? 1 : 0,
    unanswered: outputTokens(usage) === undefined ? 1 : 0,
    unpriced: prices.paid === undefined ? 1 : 0,
    bounded: boundOf(call, prices),
    estimated: estimateOf(call),
    tokens: tokensOf(usage),
    rated: ratedOf(usage),
    cost: prices.paid ?? NOTHING,
    dearer: dearerOf(prices),
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

/** A call without a total is in no sum of its input: its known buckets would be a part of an unknown whole. */
function tokensOf(usage: Usage): Tokens {
  const { answer = 0, reasoning = 0, fresh = 0, read = 0 } = usage;
  const input = inputTokens(usage);
  if (input === undefined) return { ...NO_CALLS.tokens, answer, reasoning };
  const written = allWritten(usage) ?? 0;
  return { fresh, read, written, untold: Math.max(0, input - fresh - read - written), answer, reasoning };
}

function ratedOf(usage: Usage): Account['rated'] {
  const input = inputTokens(usage) ?? 0;
  return {
    read: usage.read === undefined ? 0 : input,
    written: allWritten(usage) === undefined ? 0 : input,
  };
}

function boundOf({ costAtMost }: ModelCall, { paid }: PricedCall): Account['bounded'] {
  return paid !== undefined || costAtMost === undefined ? NO_CALLS.bounded : { calls: 1, cost: costAtMost };
}

function estimateOf({ estimated }: ModelCall): Account['estimated'] {
  if (estimated === undefined) return NO_CALLS.estimated;
  const { input = 0, output = 0, cost = NOTHING } = estimated;
  return { calls: 1, tokens: input + output, cost };
}

function dearerOf({ dearer }: PricedCall): Account['dearer'] {
  if (dearer === undefined) return NO_CALLS.dearer;
  return { calls: 1, cost: dearer.cost ?? NOTHING, unpriced: dearer.cost === undefined ? 1 : 0 };
}

function comparedOf({ paid, uncached, ideal }: PricedCall): Compared {
  if (paid === undefined || uncached === undefined || ideal === undefined) return NO_CALLS.compared;
  return { calls: 1, paid, uncached, ideal };
}

function otherOf({ paid, other }: PricedCall): AsOther {
  return paid === undefined || other === undefined ? NO_CALLS.other : { calls: 1, paid, cost: other };
}

/** The account of both. */
export function addAccounts(a: Account, b: Account): Account {
  return {
    calls: a.calls + b.calls,
    uncounted: a.uncounted + b.uncounted,
    unanswered: a.unanswered + b.unanswered,
    unpriced: a.unpriced + b.unpriced,
    bounded: { calls: a.bounded.calls + b.bounded.calls, cost: add(a.bounded.cost, b.bounded.cost) },
    estimated: {
      calls: a.estimated.calls + b.estimated.calls,
      tokens: a.estimated.tokens + b.estimated.tokens,
      cost: add(a.estimated.cost, b.estimated.cost),
    },
    tokens: {
      fresh: a.tokens.fresh + b.tokens.fresh,
      read: a.tokens.read + b.tokens.read,
      written: a.tokens.written + b.tokens.written,
      untold: a.tokens.untold + b.tokens.untold,
      answer: a.tokens.answer + b.tokens.answer,
      reasoning: a.tokens.reasoning + b.tokens.reasoning,
    },
    cost: add(a.cost, b.cost),
    dearer: {
      calls: a.dearer.calls + b.dearer.calls,
      cost: add(a.dearer.cost, b.dearer.cost),
      unpriced: a.dearer.unpriced + b.dearer.unpriced,
    },
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
    rated: { read: a.rated.read + b.rated.read, written: a.rated.written + b.rated.written },
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
export interface AccountRates {
  /** Read, of all input of the calls that told what they read. */
  readonly hitRate: number | null;
  /** Written, of all input of the calls that told what they wrote: over N calls with one growing prefix it tends to 2 / (N + 1). */
  readonly writeShare: number | null;
  /** Read, of what could have been read. */
  readonly coverage: number | null;
  /** Input tokens that came to another bucket than forecast, of all that were forecast. */
  readonly forecastError: number | null;
}

/** All input tokens of an account. */
export function inputOfAccount({ tokens: { fresh, read, written, untold } }: Account): number {
  return fresh + read + written + untold;
}

/** The rates of an account. */
export function ratesOfAccount({ tokens, rated, readable, forecast }: Account): AccountRates {
  return {
    hitRate: share(tokens.read, rated.read),
    writeShare: share(tokens.written, rated.written),
    coverage: share(readable.read, readable.held),
    forecastError: share(forecast.off, forecast.input),
  };
}

function share(part: number, whole: number): number | null {
  return whole === 0 ? null : part / whole;
}
