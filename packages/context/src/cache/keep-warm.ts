// Decides if a keep-warm read is worth its cost while the user pauses. A keep-warm read is a request without an answer.
// It is sent shortly before the cache entry expires. It is worth its cost if the expected saving is higher than the
// cost. The expected saving is the cost of a rewrite, times the probability that the user returns in the time gained.

import type { Money } from '@tidemark/log';
import { money } from '@tidemark/log';
import type { Price, Ttl, Usage } from '@tidemark/model';
import { costOf } from '@tidemark/model';
import { Decimal } from 'decimal.js';
import { LIFE } from './entries.ts';
import type { Pauses } from '../state/call-times.ts';
import { endedBetween } from '../state/call-times.ts';

/** Purpose of a request that only keeps the cache entry alive. */
export const KEEP_WARM = 'keep-warm';

/** Inputs for planning a keep-warm request. Times are in milliseconds since the Unix epoch. */
export interface KeepWarmInput {
  readonly now: number;
  /** Start of the last request of the conversation. The pause is measured from this time. */
  readonly since: number;
  /** Pauses of the conversation, including pauses in which the cache was kept warm. */
  readonly away: Pauses;
  /**
   * Entry at the end of the conversation. `ttl` is the lifetime whose price was paid. `at` is the time at which this
   * lifetime started.
   */
  readonly entry: { readonly ttl: Ttl; readonly at: number };
  /** Tokens that a refresh reads. */
  readonly held: number;
  /** Part of `held` that the next call must write again if the entry has expired. */
  readonly atStake: number;
  /**
   * Tokens of the last answer. They come after the entry and were never sent. A refresh writes them, and the next call
   * reads them.
   */
  readonly tail: number;
  /** Output tokens of the smallest possible request; 0 if the provider can write its cache without an answer. */
  readonly output: number;
  readonly price: Price | undefined;
  readonly budget: WarmBudget;
  /**
   * Kinds of request that are allowed. A promotion writes a long-lived entry after a short-lived one. `promotion` is
   * allowed only if the provider is known to keep such a long-lived entry for its full lifetime.
   */
  readonly ways: readonly WarmPlan['by'][];
}

/** Budget in US dollars: `share` of the session's `cost`, less the amount already `spent`. */
export interface WarmBudget {
  readonly share: number;
  readonly cost: Money;
  readonly spent: Money;
}

/** Plan for a pause, or the reason for sending nothing. */
export type KeepWarm = WarmPlan | NoWarming;

/** The next keep-warm request. */
export interface WarmPlan {
  /**
   * With `refresh`, the request reads the entry, so the lifetime of the entry starts again. With `promotion`, the
   * request also writes the end of the conversation as an entry with a lifetime of an hour.
   */
  readonly by: 'refresh' | 'promotion';
  readonly at: number;
  /** Output limit of the request, in tokens. */
  readonly output: number;
  /** Time at which the kept entry expires if no further request follows. */
  readonly until: number;
  /** Cost of the request in US dollars. */
  readonly cost: Money;
  /** Estimated saving by this request and the requests that follow it, minus their cost, in US dollars. */
  readonly gain: Money;
}

/**
 * Reason for sending nothing. `empty`: nothing is cached. `expired`: the entry has expired, and a read would be a
 * rewrite. `output`: the output cannot be limited to a small answer. `price`: a price is unknown. `gain`: the user will
 * probably not return in time. `budget`: the budget does not cover the request.
 */
export interface NoWarming {
  readonly by: 'nothing';
  readonly why: 'empty' | 'expired' | 'output' | 'price' | 'gain' | 'budget';
}

/**
 * Time between the keep-warm read of an entry and the expiry of the entry, in milliseconds. It is only as long as a
 * request needs to reach the provider.
 */
const AHEAD = 20_000;

/** Longest pause considered, in milliseconds. `Pauses` does not distinguish longer pauses. */
const LONGEST = 43_200_000;

/**
 * Evidence that is assumed before a conversation has any pauses. It stands for two pauses of more than five minutes.
 * After one pause the user returned within the hour. After the other pause the user did not return.
 *
 * The assumption is based on three recordings of real coding sessions: five of their pauses ended within a quarter of
 * an hour, and three were the ends of the sessions. The evidence is always added to the observed pauses, because a log
 * contains no pause after which the user did not return.
 */
const PRIOR: Pauses = {
  bins: [0, ...[2, 2, 1.5, 2].map((ratio) => Math.log(ratio) / Math.log(12)), 0, 0, 0, 1],
  broken: 0,
};

/**
 * Returns the request with the highest expected saving, or the reason for sending nothing. The saving includes the
 * requests that would follow.
 */
export function planKeepWarm(input: KeepWarmInput): KeepWarm {
  const { held, now, entry, budget, price } = input;
  if (held === 0) return { by: 'nothing', why: 'empty' };
  if (price === undefined) return { by: 'nothing', why: 'price' };
  if (entry.at + LIFE[entry.ttl] <= now) return { by: 'nothing', why: 'expired' };
  const plans = waysOf(input).map((by) => planBy(by, by === 'refresh' ? entry.ttl : '1h', input, price));
  const best = plans.reduce((a, b) => (b !== undefined && Number(b.gain) > Number(a?.gain ?? 0) ? b : a), undefined);
  if (best === undefined) return { by: 'nothing', why: plans.includes(undefined) ? 'price' : 'gain' };
  const { share, cost, spent } = budget;
  return new Decimal(cost).times(share).minus(spent).lt(best.cost) ? { by: 'nothing', why: 'budget' } : best;
}

/** Returns the useful kinds of request. An entry that is already long-lived can only be refreshed. */
function waysOf({ ways, entry }: KeepWarmInput): readonly WarmPlan['by'][] {
  return entry.ttl === '5m' || ways.length === 0 ? ways : ['refresh'];
}

/**
 * Plans a keep-warm request of one kind. Further reads may follow the request. Their number is chosen so that the
 * expected gain is highest. Returns `undefined` if a price is unknown.
 */
function planBy(by: WarmPlan['by'], ttl: Ttl, input: KeepWarmInput, price: Price): WarmPlan | undefined {
  const { held, tail, atStake, output, entry, since } = input;
  const first = dollars(price, { fresh: 0, read: held, writes: [{ ttl, tokens: tail }], answer: output });
  const next = dollars(price, { fresh: 0, read: held + tail, writes: [], answer: output });
  const lost = dollars(price, { fresh: 0, read: 0, writes: [{ ttl: entry.ttl, tokens: atStake + tail }], answer: 0 });
  const readCost = dollars(price, { fresh: 0, read: atStake + tail, writes: [], answer: 0 });
  if (first === undefined || next === undefined || lost === undefined || readCost === undefined) return undefined;
  const ends = entry.at + LIFE[entry.ttl];
  const at = Math.max(input.now, ends - AHEAD);
  const odds = oddsOf(input, at - since);
  const saved = lost.minus(readCost);
  let best = Number.NEGATIVE_INFINITY;
  let spent = first;
  for (let until = at + LIFE[ttl]; ; until += LIFE[ttl] - AHEAD) {
    best = Math.max(
      best,
      saved
        .times(odds(ends - since, until - since))
        .minus(spent)
        .toNumber(),
    );
    if (until - since >= LONGEST) break;
    spent = spent.plus(next.times(odds(until - AHEAD - since, Infinity)));
  }
  const gain = money(new Decimal(best).toSignificantDigits(6).toFixed());
  return { by, at, output, until: at + LIFE[ttl], cost: money(first.toFixed()), gain };
}

/**
 * Returns a function that computes the probability that the pause ends between the lengths `from` and `to`. The pause
 * has already lasted `lasted` milliseconds.
 */
function oddsOf({ away, held }: KeepWarmInput, lasted: number): (from: number, to: number) => number {
  const ended = (from: number, to: number): number =>
    endedBetween(away, from, to) + held * endedBetween(PRIOR, from, to);
  const all = ended(lasted, Infinity);
  return (from, to) => ended(from, to) / all;
}

function dollars(price: Price, usage: Usage): Decimal | undefined {
  const cost = costOf(price, usage);
  return cost === undefined ? undefined : new Decimal(cost.total);
}
