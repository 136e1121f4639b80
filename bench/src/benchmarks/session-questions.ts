// Measures the questions to the projection of sessions. Those about whole days are answered from totals.

import { join } from 'node:path';

import type { SessionProjection } from '@tidemark/analytics';
import { openSessionProjection } from '@tidemark/analytics';

import type { Benchmark, Measured } from '../benchmark.ts';
import { copyId, logOfCopies, templateSession } from '../copied-sessions.ts';
import { largest, median } from '../figures.ts';
import { timedAsync } from '../stopwatch.ts';
import { withTemporaryHome } from '../temporary-home.ts';

export const benchmark: Benchmark = {
  name: 'session-questions',
  against: '10 ms for the slowest question that the totals of days answer',
  target: 1,
  run,
};

/** Number of sessions of 100 calls. */
const SESSIONS = process.env['TIDEMARK_FULL'] === '1' ? 10_000 : 500;
const TARGET_MS = 10;
const ROUNDS = 7;

type Question = (projection: SessionProjection) => Promise<unknown>;

const FROM_TOTALS: Readonly<Record<string, Question>> = {
  'cost, all': (projection) => projection.cost({}),
  'cost by day': (projection) => projection.cost({}, 'day'),
  'cost by model': (projection) => projection.cost({}, 'model'),
  'cache by cause': (projection) => projection.cacheEffectiveness({}, 'cause'),
  'cache by contract, one week': (projection) =>
    projection.cacheEffectiveness({ since: '2026-10-01', until: '2026-10-08' }, 'contract'),
};

const OTHERS: Readonly<Record<string, Question>> = {
  'cost, a week that begins at noon': (projection) =>
    projection.cost({ since: '2026-10-01T12:00:00.000Z', until: '2026-10-08T12:00:00.000Z' }),
  'cost of one session': (projection) => projection.cost({ session: copyId(7) }, 'cause'),
  'cost by session': (projection) => projection.cost({}, 'session'),
  'cost by folder': (projection) => projection.cost({}, 'workspace'),
  'calls of one session': (projection) => projection.calls(copyId(7)),
  'breaks by cause': (projection) => projection.breaks({}, 'cause'),
  'latest breaks': (projection) => projection.listBreaks({}),
  'latest sessions': (projection) => projection.sessions({}),
  'sessions by title': (projection) => projection.sessions({ title: 'no such title' }),
  skills: (projection) => projection.skills({}),
};

async function run(): Promise<Measured> {
  return withTemporaryHome(async (home) => {
    const template = await templateSession();
    const log = logOfCopies(template, SESSIONS);
    const projection = await openSessionProjection({
      path: join(home, 'sessions.sqlite'),
      log,
      rowOf: () => undefined,
      rules: 'bench',
    });
    await projection.update();
    const totals = await measureAll(projection, FROM_TOTALS);
    const others = await measureAll(projection, OTHERS);
    await projection.close();
    const rows = [...totals, ...others].map(([name, ms]) => [name, ms.toFixed(1)]);
    return {
      ratio: largest(totals.map(([, ms]) => ms)) / TARGET_MS,
      details: { calls: SESSIONS * template.calls, ...Object.fromEntries([...totals, ...others]) },
      table: { head: ['question', 'ms'], rows },
    };
  });
}

async function measureAll(
  projection: SessionProjection,
  questions: Readonly<Record<string, Question>>,
): Promise<readonly (readonly [name: string, ms: number])[]> {
  const measured: [string, number][] = [];
  for (const [name, ask] of Object.entries(questions)) {
    const times: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) times.push(await timedAsync(() => ask(projection)));
    measured.push([name, median(times)]);
  }
  return measured;
}
