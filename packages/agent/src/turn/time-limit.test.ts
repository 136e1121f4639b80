// Tests that the limit of a turn's duration ends the turn while a model, a tool or a person works. The clock is
// virtual.

import { expect, test } from 'vitest';
import { answering, calls, goLive, hanging, inTurn, says } from '../../tests/small-live.ts';
import { made, testClock } from '../../tests/small-work.ts';
import { abortWhenTimeIsOver } from './time-limit.ts';

const limits = { ms: 200 };
const limited = {
  outcome: 'limited',
  limit: 'time',
  error: { code: 'turn/limit-time', message: expect.stringContaining('of 200 ms') },
};

test('a model call that takes longer than the turn may is interrupted, and the turn ends as `turn/limit-time`', async () => {
  const provider = hanging([{ type: 'text.delta', index: 0, text: 'Half' }]);
  const { live, pass, kinds, records } = await goLive({
    provider: inTurn(provider, answering(says('done'))),
    runtime: { limits },
  });
  const turn = live.prompt('go');
  await provider.reached;
  pass(200);
  expect(await turn).toMatchObject(limited);
  expect((await kinds()).slice(-2)).toEqual(['answer.interrupted', 'turn.ended']);
  const cut = (await records()).find(({ kind }) => kind === 'answer.interrupted');
  expect(cut?.data).toMatchObject({ by: 'limit', limit: 'time' });
  expect((await Array.fromAsync(live.messages())).at(-1)).toMatchObject({
    text: 'Half',
    interrupted: true,
    limit: 'time',
  });
  expect(await live.resume()).toMatchObject({ outcome: 'completed', text: 'done' });
});

test('a tool that takes longer than the turn may is stopped by its signal', async () => {
  const started = Promise.withResolvers<void>();
  const stopped: unknown[] = [];
  const slow = made('slow', async ({ signal }) => {
    started.resolve();
    await new Promise((end) => signal.addEventListener('abort', end, { once: true }));
    stopped.push(signal.aborted);
    throw new Error('stopped');
  });
  const provider = answering(calls(['c1', 'slow']), says('done'));
  const { live, pass, records } = await goLive({ provider, runtime: { tools: [slow], limits } });
  const turn = live.prompt('go');
  await started.promise;
  pass(250);
  expect(await turn).toMatchObject(limited);
  expect(stopped).toEqual([true]);
  expect((await records()).find(({ kind }) => kind === 'tool.abandoned')?.data).toMatchObject({
    call: 'c1',
    reason: 'interrupted',
  });
});

test('a question that no one answers ends with the time of the turn, and its call does not run', async () => {
  const asked = Promise.withResolvers<AbortSignal>();
  const save = made('save', () => ({ text: 'saved' }), { effect: 'write', confined: false });
  const provider = answering(calls(['c1', 'save']), says('done'));
  const { live, pass, kinds } = await goLive({
    provider,
    runtime: {
      tools: [save],
      limits,
      ask: (_question, signal) => {
        asked.resolve(signal);
        return new Promise(() => undefined);
      },
    },
    open: { mode: 'ask' },
  });
  const turn = live.prompt('go');
  const signal = await asked.promise;
  pass(200);
  expect(await turn).toMatchObject(limited);
  expect(signal.aborted).toBe(true);
  expect(await kinds()).not.toContain('tool.started');
});

test('an interrupt before the end of the time ends the turn as interrupted', async () => {
  const provider = hanging([]);
  const { live, pass, records } = await goLive({ provider, runtime: { limits } });
  const turn = live.prompt('go');
  await provider.reached;
  await live.interrupt();
  pass(500);
  expect(await turn).toMatchObject({ outcome: 'interrupted', error: undefined, limit: undefined });
  const cut = (await records()).find(({ kind }) => kind === 'answer.interrupted');
  expect(cut?.data).toEqual(expect.objectContaining({ by: 'user' }));
  expect(cut?.data).not.toHaveProperty('limit');
});

test('a limit of more milliseconds than a timer can wait is waited for in pieces', async () => {
  const waits: number[] = [];
  let now = 0;
  const surroundings = {
    ...testClock().surroundings,
    elapsed: () => now,
    wait: async (ms: number) => {
      waits.push(ms);
      now += ms;
    },
  };
  const turn = new AbortController();
  await abortWhenTimeIsOver(turn, { limits: { ms: 3_000_000_000 }, surroundings }, new AbortController().signal);
  expect(waits).toEqual([2_147_483_647, 852_516_353]);
  expect(turn.signal.aborted).toBe(true);
});

test('the wait for the time limit ends with the turn', async () => {
  const clock = testClock().surroundings;
  const waits: AbortSignal[] = [];
  const surroundings: typeof clock = {
    ...clock,
    wait: (ms, signal) => {
      if (ms === limits.ms && signal !== undefined) waits.push(signal);
      return clock.wait(ms, signal);
    },
  };
  const { live } = await goLive({ provider: answering(says('done')), runtime: { limits, surroundings } });
  expect(await live.prompt('go')).toMatchObject({ outcome: 'completed' });
  await live.close();
  expect(waits.map(({ aborted }) => aborted)).toEqual([true]);
});

test('a clock that stands still does not end the turn', async () => {
  const surroundings = { ...testClock().surroundings, wait: async () => undefined };
  const turn = new AbortController();
  await abortWhenTimeIsOver(turn, { limits, surroundings }, new AbortController().signal);
  expect(turn.signal.aborted).toBe(false);
});
