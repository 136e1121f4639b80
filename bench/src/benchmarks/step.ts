// A step's own cost late in a session against early: fold, project, lower, plan, and deciding what to record. Left out are
// joining and digesting (counted apart), the copy that is sent (see `body`: at 5 MB it empties the processor's caches) and
// the store (see `append`).

import { createMemoryStore } from '@tidemark/store-memory';

import type { Benchmark, Measured } from '../benchmark.ts';
import { median } from '../figures.ts';
import { bodilessEncoder } from '../other-encoders.ts';
import type { SteadySession } from '../steady-session.ts';
import { beginSteady } from '../steady-session.ts';
import { stopwatch, timedAsync } from '../stopwatch.ts';
import { watchedLog } from '../watched-log.ts';

export const benchmark: Benchmark = {
  name: 'step',
  against: 'a step at 100 events of history; joining, digesting and appending apart',
  target: 1.2,
  run,
};

const EARLY = 100;
const LATE = 10_000;
const ROUNDS = 60;
/** An early session is measured for so many steps, then another one takes its place. */
const STEPS = 5;

const join = stopwatch();
const append = stopwatch();

async function run(): Promise<Measured> {
  const late = await grown(LATE);
  const costs: { readonly early: Cost[]; readonly late: Cost[] } = { early: [], late: [] };
  for (let round = 0; round < ROUNDS; round += 1) {
    const early = await grown(EARLY);
    for (let step = 0; step < STEPS; step += 1) {
      costs.early.push(await costOf(early));
      costs.late.push(await costOf(late));
    }
  }
  return summed(costs.early, costs.late);
}

interface Cost {
  readonly own: number;
  readonly join: number;
  readonly append: number;
}

async function grown(events: number): Promise<SteadySession> {
  const log = watchedLog(createMemoryStore(), append);
  const steady = await beginSteady({ log, encoder: bodilessEncoder(join), calls: 1, bytes: 300 });
  while (steady.session.state.length < events) await steady.step();
  return steady;
}

async function costOf(steady: SteadySession): Promise<Cost> {
  const before = { join: join.ms, append: append.ms };
  const all = await timedAsync(() => steady.step());
  const cost = { join: join.ms - before.join, append: append.ms - before.append };
  return { own: all - cost.join - cost.append, ...cost };
}

function summed(early: readonly Cost[], late: readonly Cost[]): Measured {
  const of = (costs: readonly Cost[], part: keyof Cost): number => median(costs.map((cost) => cost[part]));
  return {
    ratio: of(late, 'own') / of(early, 'own'),
    details: {
      lateOwnMs: of(late, 'own'),
      earlyOwnMs: of(early, 'own'),
      lateJoinMs: of(late, 'join'),
      earlyJoinMs: of(early, 'join'),
      lateAppendMs: of(late, 'append'),
      earlyAppendMs: of(early, 'append'),
      steps: early.length,
    },
  };
}
