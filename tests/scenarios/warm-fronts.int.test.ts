// Forecast of a first call. It includes the front that other sessions of the same store left in the cache, and nothing
// else from the cache. The tests check the simulator's bill.

import type { RecordedOf } from '@tidemark/log';
import { sessionId } from '@tidemark/log';
import type { AgentSession } from '@tidemark/kit';
import { createMemoryStore } from '@tidemark/store-memory';
import { describe, expect, test } from 'vitest';
import type { Opening, Stage } from './billed-stage.ts';
import { expectSound, openStage, recordsOf, ROLE } from './billed-stage.ts';

const MINUTE = 60_000;
const LONG_ROLE = Array.from({ length: 6 }, (_, part) => `${part}. ${ROLE}`).join('\n');
const MODEL = 'claude-opus-5-5';

/**
 * Forecast and bill of a first call. `said` and `read` are the forecast and the billed tokens read from the cache.
 * `cost` and `paid` are the forecast and the recorded cost of the input in US dollars. `cached` is the number of warm
 * entries in the epoch's record.
 */
interface FirstCall {
  readonly said: number;
  readonly read: number;
  readonly cost: number;
  readonly paid: number;
  readonly cached: number;
}

async function begins(stage: Stage, options: Opening = {}): Promise<AgentSession> {
  const live = await stage.open(options);
  await stage.turn(live, `Begin with order ${stage.bodies.length}.`, { answer: { text: 'Done.' } });
  return live;
}

async function firstCall(stage: Stage, options: Opening = {}): Promise<FirstCall> {
  const live = await begins(stage, options);
  const records = await recordsOf(stage, live.id);
  const request = records.find((one): one is RecordedOf<'request.prepared'> => one.kind === 'request.prepared');
  const answer = records.find((one): one is RecordedOf<'answer.received'> => one.kind === 'answer.received');
  const epoch = records.find((one): one is RecordedOf<'epoch.opened'> => one.kind === 'epoch.opened');
  await expectSound(stage, live.id);
  const { usage, cost = '' } = answer?.data ?? expect.unreachable();
  const output = ((usage.answer ?? 0) * 20) / 1e6;
  return {
    said: request?.data.forecast.read ?? -1,
    read: stage.billed().at(-1)?.read ?? -1,
    cost: Number(request?.data.forecast.cost),
    paid: Number(cost) - output,
    cached: epoch?.data.cached?.length ?? 0,
  };
}

function opened(options: Opening = {}): Promise<Stage> {
  return openStage({ model: MODEL, instructions: LONG_ROLE, ...options });
}

test('a first call is forecast to read the front that another session of the store left in the cache', async () => {
  const stage = await opened();
  await (await begins(stage)).close();
  const { said, read, cost, paid, cached } = await firstCall(stage);
  expect(cached).toBeGreaterThan(0);
  expect(read).toBeGreaterThan(9_000);
  expect(Math.abs(said - read)).toBeLessThan(0.01 * read);
  expect(Math.abs(cost - paid)).toBeLessThan(0.05 * paid);
});

test('after one session has read the front, the next session forecasts that read to the token', async () => {
  const stage = await opened();
  await begins(stage);
  await begins(stage);
  const { said, read } = await firstCall(stage);
  expect(said).toBe(read);
});

test('a session keeps its entry in the index of warm fronts current while it works', async () => {
  const stage = await opened();
  const live = await begins(stage);
  stage.clock.pass(4 * MINUTE);
  await stage.turn(live, 'Go on.', { answer: { text: 'Done.' } });
  stage.clock.pass(4 * MINUTE);
  const { said, read } = await firstCall(stage);
  expect(read).toBeGreaterThan(9_000);
  expect(Math.abs(said - read)).toBeLessThan(0.01 * read);
});

describe('the forecast of a first call includes no warm front', () => {
  const OTHERS: readonly (readonly [why: string, (stage: Stage) => Promise<Opening>])[] = [
    [
      'that has expired',
      async ({ clock }) => {
        clock.pass(6 * MINUTE);
        return {};
      },
    ],
    [
      'that another account holds',
      async ({ reach }) => ({ provider: reach(MODEL, 'another-account-of-the-simulator') }),
    ],
    ['of an account that is not known', async ({ provider }) => ({ provider: { ...provider, account: undefined } })],
    ['of another front', async () => ({ instructions: `${LONG_ROLE}\nBe brief.` })],
    ['of another model', async () => ({ model: 'claude-sonnet-5-5' })],
    [
      'where the index is damaged',
      async (stage) => {
        await stage.log().shared?.put('warm-fronts', '{"revision":1,"fronts":[{');
        return {};
      },
    ],
    [
      'where the store keeps no index',
      async (stage) => {
        const { shared: _none, ...log } = stage.log();
        return { store: log };
      },
    ],
  ];

  test.each(OTHERS)('%s', async (_why, change) => {
    const stage = await opened();
    await (await begins(stage)).close();
    const options = await change(stage);
    const { said, cached } = await firstCall(stage, options);
    expect({ said, cached }).toEqual({ said: 0, cached: 0 });
  });

  test('in another store', async () => {
    const stage = await opened();
    await (await begins(stage)).close();
    const store = createMemoryStore();
    const live = await stage.open({ store });
    await stage.turn(live, 'Begin.', { answer: { text: 'Done.' } });
    const records = await Array.fromAsync(store.read(sessionId(live.id)));
    const reads = records.flatMap((one) => (one.kind === 'request.prepared' ? [one.data.forecast.read] : []));
    const cached = records.flatMap((one) => (one.kind === 'epoch.opened' ? [one.data.cached] : []));
    expect({ said: reads, cached }).toEqual({ said: [0], cached: [undefined] });
    // The provider read the front, so the forecast is 0 only because this store does not know it.
    expect(stage.billed().at(-1)?.read).toBeGreaterThan(9_000);
  });

  test('under the cache key of another root', async () => {
    const stage = await openStage({ model: 'gpt-5.6-sol', instructions: LONG_ROLE });
    await (await begins(stage)).close();
    const { said, read, cached } = await firstCall(stage);
    expect({ said, read, cached }).toEqual({ said: 0, read: 0, cached: 0 });
  });
});
