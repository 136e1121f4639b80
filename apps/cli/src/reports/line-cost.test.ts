import type { AgentSession } from '@tidemark/kit';
import { createAgent, createMemoryStore } from '@tidemark/kit';
import type { Log, Recorded, SessionId } from '@tidemark/log';
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

/** Returns the store with other records of one session. */
function reading(store: Log, session: SessionId, records: readonly Recorded[]): Log {
  return {
    ...store,
    async *read(one, from, to) {
      if (one === session) yield* records;
      else yield* store.read(one, from, to);
    },
  };
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

test('the cost is a lower bound after a request without a recorded end, also for the forks of its session', async () => {
  const { store, session } = await opened();
  await session.prompt('one');
  const records = await Array.fromAsync(store.read(session.id));
  const { own } = await readLineCost(store, session.id);
  const sent = records.findIndex(({ kind }) => kind === 'request.prepared');
  // The process was killed while the answer arrived, and the next process sent the request again.
  const again = [...records.slice(0, sent + 1), ...records.slice(sent)];
  const killed = records.slice(0, sent + 1);
  expect(await readLineCost(reading(store, session.id, again), session.id)).toEqual({ own: { ...own, more: true } });
  expect(await readLineCost(reading(store, session.id, killed), session.id)).toEqual({
    own: { cost: '0', more: true },
  });
  await laterMillisecond();
  const fork = await session.fork();
  const line = await readLineCost(reading(store, session.id, again), fork.id);
  expect(line).toEqual({ own: { cost: '0', more: false }, before: { ...own, more: true } });
});

test('a failed attempt of a request does not make the cost a lower bound', async () => {
  const { store, session } = await opened();
  await session.prompt('one');
  const records = await Array.fromAsync(store.read(session.id));
  const sent = records.findIndex(({ kind }) => kind === 'request.prepared');
  const failed = { step: 0, stream: 'main', class: 'retryable', code: 'x', message: 'x', retry: true } as const;
  const [first] = records.slice(sent);
  if (first === undefined) throw new Error('no request');
  const { v, position, fence, chain, at } = first;
  const end: Recorded = { v, position, fence, chain, at, kind: 'answer.failed', data: failed };
  const retried = [...records.slice(0, sent + 1), end, ...records.slice(sent)];
  const { own } = await readLineCost(store, session.id);
  expect(await readLineCost(reading(store, session.id, retried), session.id)).toEqual({ own });
});

test('a session that is not a fork has no cost before it', async () => {
  const { store, session } = await opened();
  await session.prompt('one');
  expect((await readLineCost(store, session.id)).before).toBeUndefined();
});
