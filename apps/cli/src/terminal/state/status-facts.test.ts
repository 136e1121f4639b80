import { createAgent, createMemoryStore } from '@tidemark/kit';
import type { Recorded } from '@tidemark/log';
import { CHAIN_START, money, position, sessionId, timestamp } from '@tidemark/log';
import { createScriptedProvider } from '@tidemark/provider-scripted';
import { expect, onTestFinished, test } from 'vitest';

import type { StatusFacts } from './status-facts.ts';
import { foldStatus, foldStatusRecord, NO_FACTS, withCutOff, withForecast } from './status-facts.ts';

const usage = { fresh: 0, read: 0, writes: [{ ttl: '5m' as const, tokens: 5_000 }], answer: 20 };

async function factsOf(records: AsyncIterable<Recorded>): Promise<StatusFacts> {
  let facts = NO_FACTS;
  for await (const record of records) facts = foldStatusRecord(facts, record);
  return facts;
}

test('the records of a fork do not contain the cost of its parent twice', async () => {
  const store = createMemoryStore();
  const provider = createScriptedProvider({ respond: () => ({ parts: [{ type: 'text', text: 'Yes.' }], usage }) });
  const agent = createAgent({ model: 'claude-opus-5-5', provider, store });
  onTestFinished(() => agent.close());
  const session = await agent.open();
  await session.prompt('one');
  const fork = await session.fork();
  const parent = await factsOf(store.read(session.id));
  expect(Number(parent.cost)).toBeGreaterThan(0);
  expect(await factsOf(store.read(fork.id))).toMatchObject({ model: 'claude-opus-5-5', cost: '0' });
  await fork.prompt('two');
  expect(Number((await factsOf(store.read(fork.id))).cost)).toBeCloseTo(Number(parent.cost), 3);
});

test('another model has no hit rate before its first answer', () => {
  const facts: StatusFacts = { ...NO_FACTS, model: 'claude-opus-5-5', hitRate: 0.9 };
  const next = { provider: 'anthropic', parameters: {}, tokens: { fresh: 0, read: 0, written: 0 }, reported: false };
  const gauge = { limit: 0, tier: 'unknown', by: 'tokens', bytes: 0, soft: 0, hard: 0, tail: 0, reserve: 0 } as const;
  expect(withForecast(facts, { ...next, gauge, model: 'claude-opus-5-5' }).hitRate).toBe(0.9);
  expect(withForecast(facts, { ...next, gauge, model: 'claude-haiku-4-5' }).hitRate).toBeUndefined();
});

test('the cost is a lower bound after a turn whose cost is unknown', async () => {
  const store = createMemoryStore();
  const provider = createScriptedProvider({ respond: () => ({ parts: [{ type: 'text', text: 'Yes.' }] }) });
  const agent = createAgent({ model: 'claude-opus-5-5', provider, store });
  onTestFinished(() => agent.close());
  const session = await agent.open();
  const { totals } = await session.prompt('one');
  expect(totals.cost).toBeUndefined();
  expect(await factsOf(store.read(session.id))).toMatchObject({ costsMore: true, cost: '0' });
});

test('the cost is a lower bound after a call that was cut off, and not while a call runs', async () => {
  const store = createMemoryStore();
  const provider = createScriptedProvider({ respond: () => ({ parts: [{ type: 'text', text: 'Yes.' }], usage }) });
  const agent = createAgent({ model: 'claude-opus-5-5', provider, store });
  onTestFinished(() => agent.close());
  const session = await agent.open();
  await session.prompt('one');
  const records = await Array.fromAsync(store.read(session.id));
  const sent = records.findIndex(({ kind }) => kind === 'request.prepared') + 1;
  const running = records.slice(0, sent).reduce(foldStatusRecord, NO_FACTS);
  expect(running.costsMore).toBeUndefined();
  expect(withCutOff(running)).toMatchObject({ costsMore: true, cost: '0' });
  const ended = records.slice(sent).reduce(foldStatusRecord, running);
  expect([ended.costsMore, ended.sent]).toEqual([undefined, undefined]);
  expect(withCutOff(ended)).toBe(ended);
  const resumed = [...records.slice(0, sent), ...records.slice(sent - 1)].reduce(foldStatusRecord, NO_FACTS);
  expect(resumed).toMatchObject({ costsMore: true, cost: ended.cost });
});

test('a planned request that keeps the cache warm is a fact until it is dropped', () => {
  const plan = {
    by: 'refresh',
    at: timestamp('2026-11-23T12:04:00.000Z'),
    until: timestamp('2026-11-23T12:09:00.000Z'),
    cost: money('0.001'),
    gain: money('0.1'),
  } as const;
  const warm = foldStatus(NO_FACTS, { type: 'cache.warming', spent: money('0'), plan });
  expect(warm).toEqual({ ...NO_FACTS, warmUntil: Date.parse('2026-11-23T12:09:00.000Z'), changes: 1 });
  const cold = foldStatus(warm, { type: 'cache.warming', spent: money('0'), why: 'gain' });
  expect(cold).toEqual({ ...NO_FACTS, changes: 2 });
});

test('subagents count while they run, and their cost is added when they end', () => {
  const child = sessionId('child');
  const ended = { child, status: 'completed', summary: '', cost: '0.25' } as const;
  const at = timestamp('2026-11-23T12:00:00.000Z');
  const record: Recorded = {
    v: 1,
    position: position(3),
    fence: 0,
    chain: CHAIN_START,
    at,
    kind: 'subagent.ended',
    data: ended,
  };
  const started = { ...NO_FACTS, subagents: 1, cost: money('1') };
  const after = foldStatusRecord(started, record);
  expect(after).toEqual({ ...NO_FACTS, subagents: 0, cost: '1.25' });
});
