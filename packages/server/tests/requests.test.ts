// Tests the requests of a session over HTTP: their structure, the texts of their blocks, and a search.

import { createMemoryStore } from '@tidemark/kit';
import type { Event } from '@tidemark/log';
import { callId, money, sessionId, timestamp, turnId } from '@tidemark/log';
import { costOf, defaultCatalog, findModel, priceAt } from '@tidemark/model';
import type { ScriptedAnswer } from '@tidemark/provider-scripted';
import { expect, test } from 'vitest';
import type { ServerEvent } from './test-server.ts';
import { openTestServer } from './test-server.ts';

const says = (text: string): ScriptedAnswer => ({
  parts: [{ type: 'text', text }],
  usage: { fresh: 10, read: 900, writes: [{ ttl: '5m', tokens: 90 }], answer: 5 },
});
const ended = ({ event, data }: ServerEvent): boolean => event === 'record' && data.kind === 'turn.ended';

type TestServer = Awaited<ReturnType<typeof openTestServer>>;

async function openAfter(...prompts: readonly string[]): Promise<{ server: TestServer; session: string }> {
  const server = await openTestServer({ answers: prompts.map((_, index) => says(`Answer ${index}.`)) });
  const session: string = (await server.send('POST', '/sessions', {})).body.session;
  for (const text of prompts) {
    const { body } = await server.send('POST', `/sessions/${session}/prompt`, { text });
    await server.until(session, ended, body.position);
  }
  return { server, session };
}

async function positionsOf(server: TestServer, session: string): Promise<readonly number[]> {
  const { body } = await server.send('GET', `/sessions/${session}/requests`);
  let position = 0;
  return body.distance.map((distance: number) => (position += distance));
}

/** Returns one row for each block of a structure, with names in place of their indexes. */
function rowsOf({ blocks: { names, ...columns } }: TestStructure): readonly Readonly<Record<string, unknown>>[] {
  const named = new Set(['section', 'role', 'holds', 'layer', 'kind']);
  return (columns['begins'] ?? []).map((_, index) =>
    Object.fromEntries(
      Object.entries(columns).map(([name, column]) => [
        name,
        named.has(name) ? (names[Number(column[index] ?? -1)] ?? null) : column[index],
      ]),
    ),
  );
}

interface TestStructure {
  readonly blocks: { readonly names: readonly string[] } & Readonly<Record<string, readonly unknown[]>>;
}

test('the structure of a request has its blocks with origins, its tokens, and the recorded digest', async () => {
  const { server, session } = await openAfter('First <b>prompt</b>.', 'Second prompt.');
  await using _server = server;
  const [first, second] = await positionsOf(server, session);
  const { body } = await server.send('GET', `/sessions/${session}/requests/${second}`);
  expect(body).toMatchObject({
    session,
    source: 'sent',
    step: 1,
    stream: 'main',
    model: 'claude-sonnet-5-5',
    verified: true,
    actual: { read: 900, written: 90, fresh: 10, output: 5 },
    previous: { position: first, step: 0 },
  });
  expect(body.previous).not.toHaveProperty('difference');
  const rows = rowsOf(body);
  expect(rows).toHaveLength(body.total);
  const { records } = (await server.send('GET', `/sessions/${session}/records`)).body;
  for (const { record, kind, layer, age } of rows) {
    const from = layer === null ? records[Number(record)] : undefined;
    expect(kind).toBe(from?.kind ?? null);
    expect(age).toBe(from === undefined ? null : Date.parse(body.at) - Date.parse(from.at));
  }
  const prompts = rows.filter(({ kind }) => kind === 'prompt.given');
  expect(prompts.map(({ begins }) => begins)).toEqual(['First <b>prompt</b>.', 'Second prompt.']);
});

test('a client that knows the previous request gets only the blocks that it does not have', async () => {
  const { server, session } = await openAfter('One.', 'Two.');
  await using _server = server;
  const [first, second] = await positionsOf(server, session);
  const read = async (query: string) => (await server.send('GET', `/sessions/${session}/requests/${query}`)).body;
  const [before, whole, part] = [
    await read(`${first}`),
    await read(`${second}`),
    await read(`${second}?known=${first}`),
  ];
  expect(part.from).toBe(before.total);
  // The age of a block depends on its request, and the time of its record does not.
  const timed = (structure: typeof whole) =>
    rowsOf(structure).map(({ age, ...row }) => ({
      ...row,
      at: age === null ? null : Date.parse(structure.at) - Number(age),
    }));
  expect([...timed(before).slice(0, part.from), ...timed(part)]).toEqual(timed(whole));
  // Back in time, nothing is new.
  expect(await read(`${first}?known=${second}`)).toMatchObject({
    from: before.total,
    total: before.total,
    blocks: { begins: [], tokens: [] },
  });
});

test('the text of a block is read whole, by range and as it is sent', async () => {
  const { server, session } = await openAfter('Say "one"\nand two.');
  await using _server = server;
  const [position] = await positionsOf(server, session);
  const { body } = await server.send('GET', `/sessions/${session}/requests/${position}`);
  const block = rowsOf(body).findIndex(({ kind }) => kind === 'prompt.given');
  const path = `/sessions/${session}/requests/${position}/blocks/${block}`;
  expect((await server.send('GET', path)).body).toEqual({ text: 'Say "one"\nand two.', from: 0, total: 18 });
  expect((await server.send('GET', `${path}?from=4&to=9`)).body).toEqual({ text: '"one"', from: 4, total: 18 });
  const sent = (await server.send('GET', `${path}?form=sent`)).body;
  expect(sent.text).toContain(String.raw`Say \"one\"\nand two.`);
  expect(Buffer.byteLength(sent.text)).toBe(body.blocks.bytes[block]);
});

test('a search finds the blocks of one request and not those that came later', async () => {
  const { server, session } = await openAfter('The heron stands.', 'The HERON flies.');
  await using _server = server;
  const [first, second] = await positionsOf(server, session);
  const find = async (position: number | undefined) =>
    (await server.send('GET', `/sessions/${session}/requests/${position}/search?text=heron`)).body;
  expect((await find(first)).blocks).toMatchObject([{ count: 1, excerpt: 'The heron stands.' }]);
  expect((await find(second)).blocks).toHaveLength(2);
});

test('a new turn is in the list of requests of a session that was read before', async () => {
  const server = await openTestServer({ answers: [says('One.'), says('Two.')] });
  await using _server = server;
  const session: string = (await server.send('POST', '/sessions', {})).body.session;
  for (const count of [1, 2]) {
    const { body } = await server.send('POST', `/sessions/${session}/prompt`, { text: `Prompt ${count}.` });
    await server.until(session, ended, body.position);
    const positions = await positionsOf(server, session);
    expect(positions).toHaveLength(count);
    const found = await server.send('GET', `/sessions/${session}/requests/${positions.at(-1)}`);
    expect(found.body).toMatchObject({ step: count - 1, verified: true, actual: { read: 900 } });
  }
});

const AT = timestamp('2026-01-02T03:04:05.000Z');

function importedEvents(): readonly Event[] {
  const id = sessionId('imported');
  const turn = turnId('t1');
  const call = callId('c1');
  const made = { provider: 'anthropic', model: 'claude-sonnet-4-5', stream: 'main', truncated: 'no' } as const;
  const answer = { ...made, usage: { fresh: 10, read: 0, writes: [], answer: 5 } };
  const imported = { format: 'claude-code', source: 'x.jsonl' };
  const [prompt, output, said] = ['List the files.', 'a.txt', 'There is a.txt.'].map((text) => [
    { type: 'text', text } as const,
  ]);
  return [
    { kind: 'session.created', at: AT, data: { id, root: id, workspace: '/w', imported } },
    { kind: 'turn.started', at: AT, turn, data: { trigger: 'user' } },
    { kind: 'prompt.given', at: AT, turn, data: { parts: prompt ?? [], presenter: 'user' } },
    {
      kind: 'answer.received',
      at: AT,
      turn,
      data: {
        ...answer,
        step: 0,
        stop: 'calls',
        cost: money('0.5'),
        parts: [{ type: 'call', call, name: 'ls', arguments: '{}' }],
      },
    },
    { kind: 'tool.returned', at: AT, turn, data: { call, parts: output ?? [] } },
    { kind: 'answer.received', at: AT, turn, data: { ...answer, step: 1, stop: 'end', parts: said ?? [] } },
  ];
}

test('a request of an import contains the history before its answer, and not the answer', async () => {
  const log = createMemoryStore();
  const writer = await log.create(sessionId('imported'));
  expect(await writer.append(importedEvents(), 0)).toMatchObject({ ok: true });
  await writer.close();
  await using server = await openTestServer({ log });
  expect(await positionsOf(server, 'imported')).toEqual([3, 5]);
  const { body: first } = await server.send('GET', '/sessions/imported/requests/3');
  expect(first).toMatchObject({ source: 'imported', total: 1, cost: '0.5', blocks: { record: [2] } });
  const { body } = await server.send('GET', '/sessions/imported/requests/5');
  expect(body.blocks.record).toEqual([2, 3, 4]);
  expect(body).toMatchObject({ previous: { position: 3, shared: 1 } });
});

test('an unknown session, request or block is refused', async () => {
  const { server, session } = await openAfter('One.');
  await using _server = server;
  const [position] = await positionsOf(server, session);
  const status = async (path: string) => (await server.send('GET', path)).status;
  expect(await status('/sessions/absent/requests')).toBe(404);
  expect(await status(`/sessions/${session}/requests/0`)).toBe(404);
  expect(await status(`/sessions/${session}/requests/${position}/blocks/9999`)).toBe(404);
});

test('the costs of the blocks add up to the billed input of all requests that contained them', async () => {
  const { server, session } = await openAfter('One.', 'Two.', 'Three.');
  await using _server = server;
  const positions = await positionsOf(server, session);
  const { body } = await server.send('GET', `/sessions/${session}/requests/${positions.at(-1)}/costs`);
  const row = findModel(defaultCatalog(), 'claude-sonnet-5-5', 'anthropic');
  const price = row && priceAt(row, new Date().toISOString().slice(0, 10), 1_000);
  const usage = { fresh: 10, read: 900, writes: [{ ttl: '5m', tokens: 90 }], answer: 0 } as const;
  const billed = price && Number(costOf(price, usage)?.total) * positions.length;
  const sum = body.costs.reduce((total: number, cost: string) => total + Number(cost), 0);
  expect(sum).toBeCloseTo(billed ?? Number.NaN, 9);
  const { body: first } = await server.send('GET', `/sessions/${session}/requests/${positions[0]}`);
  expect(body.requests.slice(0, first.total)).toEqual(Array.from({ length: first.total }, () => 3));
  expect(body.requests.at(-1)).toBe(1);
  expect(new Set(body.unpriced)).toEqual(new Set([0]));
  // The beginning of a request is read from the cache, and its end is written or fresh, which costs more for a token.
  const { body: last } = await server.send('GET', `/sessions/${session}/requests/${positions.at(-1)}`);
  const perToken = (index: number): number =>
    Number(body.costs.at(index)) / (last.blocks.tokens.at(index) * body.requests.at(index));
  expect(perToken(0) * 5).toBeLessThan(perToken(-1));
});

test('the cost of a block is unknown if the usage of every request that contained it is unknown', async () => {
  await using server = await openTestServer({ answers: [{ ...says('One.'), usage: { answer: 5 } }] });
  const session: string = (await server.send('POST', '/sessions', {})).body.session;
  const { body: accepted } = await server.send('POST', `/sessions/${session}/prompt`, { text: 'One.' });
  await server.until(session, ended, accepted.position);
  const [position] = await positionsOf(server, session);
  const { body } = await server.send('GET', `/sessions/${session}/requests/${position}/costs`);
  expect(new Set(body.costs)).toEqual(new Set([null]));
  expect(new Set(body.unpriced)).toEqual(new Set([1]));
});

test('the calls of a session are replayed in other cases', async () => {
  const { server, session } = await openAfter('First prompt.', 'Second prompt.');
  await using _server = server;
  const { status, body } = await server.send('GET', `/sessions/${session}/what-if`);
  expect(status).toBe(200);
  expect(body).toMatchObject({ calls: 2, unknown: 0, others: 0, prunings: 0, compactions: 0 });
  // Two calls with 10 fresh, 900 read and 90 written tokens and an answer of 5.
  const row = findModel(defaultCatalog(), 'claude-sonnet-5-5');
  const price = row && priceAt(row, new Date().toISOString().slice(0, 10), 1_000);
  const usage = { fresh: 20, read: 1_800, writes: [{ ttl: '5m', tokens: 180 }], answer: 10 } as const;
  expect(body.paid).toBe(price && costOf(price, usage)?.total);
  const lifetimes = body.cases.filter(({ change }: { change: string }) => change === 'lifetime');
  expect(lifetimes.map(({ name }: { name: string }) => name)).toEqual(['5m', '1h']);
  expect(lifetimes[0].compared).toBe(body.replayed);
});
