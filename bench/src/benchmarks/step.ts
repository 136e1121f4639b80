// Time that a step takes in the turn loop itself, late in a session compared with early in the session. It is the time
// from one request's arrival to the next, without the parts that are measured separately: making the answer and the
// result, joining and digesting the body, and the store (see `append`). The copy that is sent is also excluded (see
// `body`). Old results are shortened when this lowers the cost.

import { createMemoryStore } from '@tidemark/store-memory';

import type { Benchmark, Measured } from '../benchmark.ts';
import { median } from '../figures.ts';
import type { SteadySession } from '../steady-session.ts';
import { beginSteady } from '../steady-session.ts';
import { stopwatch } from '../stopwatch.ts';

export const benchmark: Benchmark = {
  name: 'step',
  against: 'a step with 10 steps of history; provider, tool, joining, digesting and appending excluded',
  target: 1.2,
  run,
};

/** Numbers of steps in the history. The first one is the base that the others are compared with. */
const LENGTHS = [10, 1_000, 10_000] as const;
/** Size of a result in bytes, long enough to be shortened when it is old. */
const BYTES = 1_500;
const ROUNDS = 60;
/** Number of steps measured in one session before the next session is measured. */
const STEPS = 5;

/** Time of one step in milliseconds, by part. */
interface Cost {
  readonly own: number;
  readonly join: number;
  readonly append: number;
}

/** A session, and the times that its stopwatches showed when each request of the latest turn arrived. */
interface Watched {
  readonly steady: SteadySession;
  readonly readings: Reading[];
}

interface Reading extends Omit<Cost, 'own'> {
  readonly at: number;
  readonly made: number;
}

async function run(): Promise<Measured> {
  const [first, ...others] = LENGTHS;
  const late: Watched[] = [];
  for (const steps of others) late.push(await grown(steps));
  const costs: readonly Cost[][] = LENGTHS.map(() => []);
  for (let round = 0; round < ROUNDS; round += 1) {
    // The early session is created again in each round, because measuring it makes it longer.
    const sessions = [await grown(first), ...late];
    for (const [index, session] of sessions.entries()) costs[index]?.push(...(await costsOf(session)));
  }
  return summed(costs);
}

async function grown(steps: number): Promise<Watched> {
  const readings: Reading[] = [];
  const [join, append, made] = [stopwatch(), stopwatch(), stopwatch()];
  const arrived = (): void => {
    readings.push({ at: performance.now(), made: made.ms, join: join.ms, append: append.ms });
  };
  const log = createMemoryStore();
  const watches = { join, append, made, arrived };
  const steady = await beginSteady({ log, calls: 1, bytes: BYTES, endless: true, watches });
  await steady.turn(steps);
  return { steady, readings };
}

/** Returns the cost of each step, from the arrival of one request to the arrival of the next. */
async function costsOf({ steady, readings }: Watched): Promise<readonly Cost[]> {
  readings.length = 0;
  await steady.turn(STEPS + 1);
  return readings.slice(1).map((reading, index) => costBetween(readings[index] ?? reading, reading));
}

function costBetween(before: Reading, after: Reading): Cost {
  const join = after.join - before.join;
  const append = after.append - before.append;
  const own = after.at - before.at - (after.made - before.made) - join - append;
  return { own, join, append };
}

function summed(costs: readonly (readonly Cost[])[]): Measured {
  const own = costs.map((of) => median(of.map((cost) => cost.own)));
  const [early = NaN, later = NaN, latest = NaN] = own;
  const details = Object.fromEntries(costs.flatMap((of, index) => described(LENGTHS[index] ?? 0, of)));
  return { ratio: latest / early, details: { ratioAt1000: later / early, ...details, steps: ROUNDS * STEPS } };
}

function described(length: number, costs: readonly Cost[]): readonly [string, number][] {
  const parts = ['own', 'join', 'append'] as const;
  return parts.map((part) => [`${part}MsAt${length}`, median(costs.map((cost) => cost[part]))]);
}
