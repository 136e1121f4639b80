// Whether a pause is worth a read: a request without an answer, shortly before what the cache holds would end, keeps it; and
// it pays where the odds that the user comes back in the time so won, times a rewrite, exceed what the reads cost.

import type { Money } from '@tidemark/log';
import { money } from '@tidemark/log';
import type { Price, Ttl, Usage } from '@tidemark/model';
import { costOf } from '@tidemark/model';
import { Decimal } from 'decimal.js';
import { LIFE } from './entries.ts';
import type { Pauses } from '../state/call-times.ts';
import { endedBetween } from '../state/call-times.ts';

/** The purpose of a request that only keeps what is cached. */
export const KEEP_WARM = 'keep-warm';

/** What keeping warm is planned from. Times are milliseconds since the epoch. */
export interface KeepWarmInput {
  readonly now: number;
  /** When the last request of the conversation began: the pause counts from there. */
  readonly since: number;
  /** Pauses of the conversation, kept warm or not. */
  readonly away: Pauses;
  /** The entry at the end of the conversation: what it was bought as, and when its life began. */
  readonly entry: { readonly ttl: Ttl; readonly at: number };
  /** Tokens that a refresh reads. */
  readonly held: number;
  /** Of these, the ones that are written again once the entry has ended. */
  readonly atStake: number;
  /** Tokens behind the entry that were never sent: the last answer. A refresh writes them, and the next call reads them. */
  readonly tail: number;
  /** Tokens of answer that the smallest request costs; 0 where the provider writes its cache without one. */
  readonly output: number;
  readonly price: Price | undefined;
  readonly budget: WarmBudget;
  /** What may be sent. A promotion only where the provider is known to let a long-lived marker behind a short entry live long. */
  readonly ways: readonly WarmPlan['by'][];
}

/** What may be spent: a share of what the session has cost, less what was. US dollars. */
export interface WarmBudget {
  readonly share: number;
  readonly cost: Money;
  readonly spent: Money;
}

/** What to do about a pause, or why nothing. */
export type KeepWarm = WarmPlan | NoWarming;

/** The next request that keeps the cache. */
export interface WarmPlan {
  /** `refresh` reads and so begins the entry's life anew; `promotion` also writes its end as an entry of an hour. */
  readonly by: 'refresh' | 'promotion';
  readonly at: number;
  /** The output limit to ask with. */
  readonly output: number;
  /** When what it keeps ends, if it is the last. */
  readonly until: number;
  /** US dollars that it costs. */
  readonly cost: Money;
  /** US dollars that it and those that are to follow it are expected to save, less their cost. An estimate. */
  readonly gain: Money;
}

/** `expired`: too late, a read would be a rewrite. `output`: no small answer can be asked for. `gain`: nobody is expected back in time. */
export interface NoWarming {
  readonly by: 'nothing';
  readonly why: 'empty' | 'expired' | 'output' | 'price' | 'gain' | 'budget';
}

/** Milliseconds before its end at which an entry is read: what it takes to get there, no more. */
const AHEAD = 20_000;

/** Nobody is waited for longer than the pauses are told apart, in milliseconds. */
const LONGEST = 43_200_000;

/**
 * Before a conversation has shown anything, as if it had been left twice for more than five minutes: once for some time
 * within the hour, once for good. Of the pauses in the three recordings of real coding sessions that this was made with,
 * five ended within the quarter of an hour, and three were the ends of the sessions. It stays behind what is shown, since no
 * log shows a session that nobody came back to.
 */
const PRIOR: Pauses = {
  bins: [0, ...[2, 2, 1.5, 2].map((ratio) => Math.log(ratio) / Math.log(12)), 0, 0, 0, 1],
  broken: 0,
};

/** The request that is expected to save most, with those that would follow it. */
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

/** What is long-lived already can only be read. */
function waysOf({ ways, entry }: KeepWarmInput): readonly WarmPlan['by'][] {
  return entry.ttl === '5m' || ways.length === 0 ? ways : ['refresh'];
}

/** This request and the best number of further reads behind it; `undefined` where a price is unknown. */
function planBy(by: WarmPlan['by'], ttl: Ttl, input: KeepWarmInput, price: Price): WarmPlan | undefined {
  const { held, tail, atStake, output, entry, since } = input;
  const first = dollars(price, { fresh: 0, read: held, writes: [{ ttl, tokens: tail }], answer: output });
  const next = dollars(price, { fresh: 0, read: held + tail, writes: [], answer: output });
  const lost = dollars(price, { fresh: 0, read: 0, writes: [{ ttl: entry.ttl, tokens: atStake + tail }], answer: 0 });
  const kept = dollars(price, { fresh: 0, read: atStake + tail, writes: [], answer: 0 });
  if (first === undefined || next === undefined || lost === undefined || kept === undefined) return undefined;
  const ends = entry.at + LIFE[entry.ttl];
  const at = Math.max(input.now, ends - AHEAD);
  const odds = oddsOf(input, at - since);
  const saved = lost.minus(kept);
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

/** The odds that the pause ends between two lengths, given that it has lasted for this long. */
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
