// Computes the cost of a session's input if its cache is kept warm in pauses, by reads or by promotions. Uses the chain
// of `lives-played.ts`, and adds the requests that the engine would send in each pause. Costs are in units of the base
// input price.

import type { Lifetime, Pauses, WarmPlan } from '@tidemark/context';
import { addPause, NO_PAUSES, planKeepWarm } from '@tidemark/context';
import { money } from '@tidemark/log';

import type { Chain, Charged } from './lives-played.ts';
import { addStep, chosenLife, NO_CHAIN, send } from './lives-played.ts';
import type { Step } from './pause-sequences.ts';

/** Settings for computing the cost of a stream: if promotions work, and which TTLs entries get. */
export interface Warming {
  readonly promotes: boolean;
  readonly ttl: Lifetime | 'auto';
}

interface Session {
  readonly chain: Chain;
  /** Times in milliseconds: of the last call (`now`), and of the last read of its entries (`touched`). */
  readonly now: number;
  readonly touched: number;
  readonly pauses: Pauses;
  readonly away: Pauses;
  /** Total bill, and the part of it for keeping pauses warm (`warming`). */
  readonly total: number;
  readonly warming: number;
}

const SHARE = 0.1;

/** Returns the cost of one stream whose cache is kept warm in pauses. */
export function playWarm(steps: readonly Step[], charged: Charged, warming: Warming): number {
  let session: Session = {
    chain: NO_CHAIN,
    now: 0,
    touched: 0,
    pauses: NO_PAUSES,
    away: NO_PAUSES,
    total: 0,
    warming: 0,
  };
  for (const step of steps) session = call(keepWarm(session, step.gap, charged, warming), step, charged, warming);
  return session.total;
}

function keepWarm(session: Session, gap: number, charged: Charged, warming: Warming): Session {
  let kept = session;
  for (;;) {
    const plan = planOf(kept, charged, warming);
    if (plan === undefined || plan.at >= session.now + gap) return kept;
    const cost = Number(plan.cost) / unit(charged);
    const { tokens } = kept.chain;
    const chain = plan.by === 'promotion' ? { tokens, long: tokens } : kept.chain;
    kept = { ...kept, chain, touched: plan.at, total: kept.total + cost, warming: kept.warming + cost };
  }
}

/** Returns the base input price of one token, in US dollars. */
function unit({ price }: Charged): number {
  return Number(price.input) / 1_000_000;
}

function planOf(session: Session, charged: Charged, { promotes }: Warming): WarmPlan | undefined {
  const { chain, now, touched, away, total, warming } = session;
  const { tokens, long } = chain;
  const dollars = (units: number): ReturnType<typeof money> => money((units * unit(charged)).toFixed(12));
  const plan = planKeepWarm({
    now: touched,
    since: now,
    away,
    entry: { ttl: long < tokens ? '5m' : '1h', at: touched },
    held: tokens,
    atStake: long < tokens ? tokens - long : tokens,
    tail: 0,
    output: 0,
    price: charged.price,
    budget: { share: SHARE, cost: dollars(total), spent: dollars(warming) },
    ways: promotes ? ['refresh', 'promotion'] : ['refresh'],
  });
  return plan.by === 'nothing' ? undefined : plan;
}

function call(session: Session, step: Step, charged: Charged, { ttl }: Warming): Session {
  const { chain, touched, total } = session;
  const now = session.now + step.gap;
  const since = { ...step, gap: now - touched };
  const first = chain.tokens === 0;
  const pauses = addStep(session.pauses, since, chain);
  const away = first ? session.away : addPause(session.away, { ms: step.gap, held: chain.tokens, broken: 0 });
  const life = ttl === 'auto' ? chosenLife(since, chain, pauses, charged) : ttl;
  const sent = send(since, chain, life, charged);
  return { ...session, chain: sent.chain, now, touched: now, pauses, away, total: total + sent.cost };
}
