// Sums over calls to models, and rates computed from the sums. Unknown values are counted separately and are in no sum
// (L7).

import type { Money, ToolCharged, Usage } from '@tidemark/log';
import { money } from '@tidemark/log';
import type { Capabilities } from '@tidemark/model';
import { allWritten, inputTokens, outputTokens, sumOfMoney } from '@tidemark/model';
import { forecastError } from './model-call.ts';
import type { ModelCall } from './model-call.ts';
import type { PricedCall } from './price-call.ts';
import { priceCall } from './price-call.ts';

/**
 * Sums over calls to models. Calls with an unknown value are counted separately, and the value is in no sum. Money is
 * in exact US dollars.
 */
export interface Account {
  readonly calls: number;
  /**
   * Number of calls whose total input is unknown. These calls add no input tokens to `tokens`, but they add their
   * output tokens.
   */
  readonly uncounted: number;
  /** Number of calls whose output is unknown. They are in no sum of output tokens. */
  readonly unanswered: number;
  /** Number of calls whose cost is unknown. They are not in `cost`. */
  readonly unpriced: number;
  /**
   * Calls whose cost is unknown but has an upper bound: the number of these calls, and the sum of their upper bounds.
   */
  readonly bounded: { readonly calls: number; readonly cost: Money };
  /**
   * Calls for which the provider sent no usage, so their usage is estimated. The fields are the number of calls, their
   * estimated tokens, and the upper bound of their cost.
   */
  readonly estimated: { readonly calls: number; readonly tokens: number; readonly cost: Money };
  /**
   * Tokens in disjoint buckets (L7). `answer` includes the reasoning tokens of a provider that does not count them
   * separately.
   */
  readonly tokens: Tokens;
  /** Sum of the known costs that were paid. */
  readonly cost: Money;
  /**
   * Calls above a cliff. A cliff is an input length above which the whole request costs more. `calls` is their number.
   * `cost` is the known amount that the cliffs added to the account's `cost`. `unpriced` is the number of these calls
   * for which the added amount is unknown.
   */
  readonly dearer: { readonly calls: number; readonly cost: Money; readonly unpriced: number };
  /**
   * Three costs of the same calls: the cost that was paid, the cost without a cache, and the cost with an ideal cache.
   * A call is included only if its price, its token counts and its new tokens are known.
   */
  readonly compared: Compared;
  readonly other: AsOther;
  /**
   * Tokens that were sent before and were paid again, because the call did not read them from the cache. `cost` is the
   * known additional cost, compared with reading them. `unpriced` is the number of calls for which this cost is
   * unknown.
   */
  readonly again: { readonly calls: number; readonly tokens: number; readonly cost: Money; readonly unpriced: number };
  /**
   * Denominators of two rates. `read` is the input of the calls whose read tokens are known; `hitRate` uses it.
   * `written` is the input of the calls whose written tokens are known; `writeShare` uses it.
   */
  readonly rated: { readonly read: number; readonly written: number };
  /**
   * Calls for which the number of readable tokens is known. `held` is the number of tokens that they could have read.
   * `read` is the number of tokens that they read.
   */
  readonly readable: { readonly calls: number; readonly held: number; readonly read: number };
  /**
   * Tokens that were written and not yet read. `wasted`: no later call can read them. `waiting`: a later call may still
   * read them.
   */
  readonly unread: { readonly wasted: number; readonly waiting: number };
  /**
   * Calls with a forecast and known counts. `input` is the number of their input tokens. `off` is the number of tokens
   * whose bucket differs from the forecast.
   */
  readonly forecast: { readonly calls: number; readonly input: number; readonly off: number };
  /**
   * Requests of tool calls that services outside of the session bill, such as web searches. `cost` is the sum of the
   * known costs, which is not in the account's `cost`. `unpriced` is the number of requests of unknown cost.
   */
  readonly charged: { readonly requests: number; readonly cost: Money; readonly unpriced: number };
}

/** Numbers of tokens by bucket. Each token is in exactly one bucket. */
export interface Tokens {
  readonly fresh: number;
  readonly read: number;
  readonly written: number;
  /** Input tokens that are known only as part of a total, so their bucket is unknown. */
  readonly untold: number;
  readonly answer: number;
  readonly reasoning: number;
}

/** Costs of the same calls in three cases: as paid, without a cache, and with an ideal cache. Output is included. */
export interface Compared {
  readonly calls: number;
  readonly paid: Money;
  readonly uncached: Money;
  /**
   * Cost with an ideal cache. A token that is sent for the first time is written to the cache. A token that was sent
   * before is read from the cache. The number of tokens sent for the first time is an estimate.
   */
  readonly ideal: Money;
}

/**
 * Costs of the same calls with two models. `paid` is the cost with the actual model. `cost` is the cost at the prices
 * of another model, which is assumed to count and cache in the same way. A call is included only if both costs are
 * known. All values are 0 if no other model is given.
 */
export interface AsOther {
  readonly calls: number;
  readonly paid: Money;
  readonly cost: Money;
}

const NOTHING: Money = money('0');

/** Account that contains no calls. */
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
  charged: { requests: 0, cost: NOTHING, unpriced: 0 },
};

/** Returns the account of a charge for a tool call. It contains no call to a model. */
export function accountOfCharge({ requests, cost }: ToolCharged): Account {
  const charged = { requests, cost: cost ?? NOTHING, unpriced: cost === undefined ? requests : 0 };
  return { ...NO_CALLS, charged };
}

/**
 * Returns the account of one call. `other` is the catalog row of another model. If it is given, the account also
 * contains the cost of the call at that model's prices.
 */
export function accountOf(call: ModelCall, other?: Capabilities): Account {
  const { billed, ...whole } = call;
  return billed === undefined ? accountOfWhole(whole, other) : accountOfRest(whole, billed, other);
}

/**
 * Returns the account of a call that another record bills in part. `billed` is the usage that the other record bills.
 * Only the usage above `billed` is included. The number of calls is 0, because the account of the other record counts
 * the call.
 */
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
    charged: NO_CALLS.charged,
  };
}

/**
 * Returns the tokens of one call. If the total input of the call is unknown, no input tokens are included, because the
 * known buckets are only a part of the total.
 */
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

function addTokens(a: Tokens, b: Tokens): Tokens {
  return {
    fresh: a.fresh + b.fresh,
    read: a.read + b.read,
    written: a.written + b.written,
    untold: a.untold + b.untold,
    answer: a.answer + b.answer,
    reasoning: a.reasoning + b.reasoning,
  };
}

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
    tokens: addTokens(a.tokens, b.tokens),
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
    charged: {
      requests: a.charged.requests + b.charged.requests,
      cost: add(a.charged.cost, b.charged.cost),
      unpriced: a.charged.unpriced + b.charged.unpriced,
    },
  };
}

function add(a: Money, b: Money): Money {
  return money(sumOfMoney([a, b]));
}

/** Shares between 0 and 1. A share is `null` if its total is 0. */
export interface AccountRates {
  /** Share of the input tokens that were read from the cache. Only calls that report their reads are included. */
  readonly hitRate: number | null;
  /**
   * Share of the input tokens that were written to the cache. Only calls that report their writes are included. If a
   * prefix grows evenly over N calls and is always read from the cache, the share is about 2 / (N + 1).
   */
  readonly writeShare: number | null;
  /** Tokens read, as a share of the tokens that could have been read. */
  readonly coverage: number | null;
  /** Share of the input tokens that were in another bucket than forecast. Only calls with a forecast are included. */
  readonly forecastError: number | null;
}

/** Returns all input tokens of an account. */
export function inputOfAccount({ tokens: { fresh, read, written, untold } }: Account): number {
  return fresh + read + written + untold;
}

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
