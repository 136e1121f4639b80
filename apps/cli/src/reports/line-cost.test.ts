import type { AgentSession } from '@tidemark/kit';
import { createAgent, createMemoryStore } from '@tidemark/kit';
import type { Log } from '@tidemark/log';
import { createScriptedProvider } from '@tidemark/provider-scripted';
import { expect, onTestFinished, test } from 'vitest';

import { readLineCost } from './line-cost.ts';

const usage = { fresh: 0, read: 0, writes: [{ ttl: '5m' as const, tokens: 5_000 }], answer: 20 };

async function opened(): Promise<{ readonly store: Log; readonly session: AgentSession }> {
  const store = createMemoryStore();
  const provider = createScriptedProvider({ respond: () => ({ parts: [{ type: 'text', text: 'Yes.' }], usage }) });
  const agent = createAgent({ model: 'claude-opus-5-5', provider, store });
  onTestFinished(() => agent.close());
  return { store, session: await agent.open() };
}

/** Waits until the clock shows a later millisecond, because the cost of a line is counted by time. */
async function laterMillisecond(): Promise<void> {
  const now = Date.now();
  while (Date.now() <= now) await new Promise((resolve) => setImmediate(resolve));
}

test('the cost of a line contains what was paid before each fork, also for the part that a fork leaves out', async () => {
  const { store, session } = await opened();
  await session.prompt('one');
  const records = await Array.fromAsync(store.read(session.id));
  await session.prompt('two');
  const paid = Number((await readLineCost(store, session.id)).own.cost);
  const one = paid / 2;
  const fork = await session.fork({ at: records.at(-1)?.position ?? 0 });
  expect(await readLineCost(store, fork.id)).toMatchObject({ own: { cost: '0' }, before: { more: false } });
  await fork.prompt('three');
  const second = await fork.fork();
  await second.prompt('four');
  const { own, before } = await readLineCost(store, second.id);
  expect(Number(own.cost)).toBeCloseTo(one, 3);
  expect(Number(before?.cost)).toBeCloseTo(3 * one, 3);
});

test('the cost of a line does not contain what its parent paid after the fork', async () => {
  const { store, session } = await opened();
  await session.prompt('one');
  const { own } = await readLineCost(store, session.id);
  const fork = await session.fork();
  await laterMillisecond();
  await session.prompt('two');
  expect((await readLineCost(store, fork.id)).before).toEqual(own);
});

test('a session that is not a fork has no cost before it', async () => {
  const { store, session } = await opened();
  await session.prompt('one');
  expect((await readLineCost(store, session.id)).before).toBeUndefined();
});
