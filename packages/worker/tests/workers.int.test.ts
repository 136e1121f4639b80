// Tests workers in processes of their own, on a real database: commands, kills, stops and hand-overs.

import { randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { verifySession } from '@tidemark/agent';
import type { Log, Recorded, SessionId } from '@tidemark/log';
import { sessionId } from '@tidemark/log';
import { appended, created, gather } from '@tidemark/log/contract';
import type { Child } from '@tidemark/log/contract/child';
import { startChild } from '@tidemark/log/contract/child';
import { anthropicEncoder } from '@tidemark/provider-anthropic';
import type { LedgerCall, ListeningSimulator } from '@tidemark/simulator';
import { createSimulator } from '@tidemark/simulator';
import { openFolderObjects } from '@tidemark/store-objects';
import type { CommandAnswer, CommandQueue, Database } from '@tidemark/store-postgres';
import { createCommandQueue, migrate, openDatabase, openPostgresStore } from '@tidemark/store-postgres';
import { Client } from 'pg';
import { afterEach, beforeEach, describe, expect, inject, test } from 'vitest';

import type { WakeUp } from '../src/index.ts';
import { openWakeUp } from '../src/index.ts';
import { answerOf, RESULT, STEPS } from './worked-script.ts';

const PROGRAM = fileURLToPath(new URL('run-worker.ts', import.meta.url));
const TENANT = 'default';

let folder: string;
let url: string;
let database: Database;
let store: Log;
let queue: CommandQueue;
let wakeUp: WakeUp;
let simulator: ListeningSimulator;
let calls: readonly LedgerCall[];
const workers: Child[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tidemark-worker-'));
  const name = `worker_${randomUUID().replaceAll('-', '')}`;
  const client = new Client({ connectionString: `${inject('postgres')}/postgres` });
  await client.connect();
  await client.query(`create database ${name}`);
  await client.end();
  url = `${inject('postgres')}/${name}`;
  await migrate(url);
  database = openDatabase({ url });
  store = openPostgresStore({ database, objects: openFolderObjects(folder), lease: 2_000 });
  queue = createCommandQueue(database);
  wakeUp = await openWakeUp(url, () => undefined);
  const provider = createSimulator({ onRequest: (sent) => ({ answer: answerOf(sent) }), deltaCharacters: 40 });
  simulator = await provider.listen();
  calls = provider.calls;
});
afterEach(async () => {
  for (const worker of workers.splice(0)) await worker.kill();
  await wakeUp.close();
  await database.close();
  await simulator.close();
  await rm(folder, { recursive: true, force: true });
});

async function startWorker(name: string): Promise<Child> {
  const worker = startChild(process.execPath, [PROGRAM, url, folder, simulator.url, name]);
  workers.push(worker);
  expect(await worker.hear()).toBe('ready');
  return worker;
}

async function newSession(): Promise<SessionId> {
  const session = sessionId(randomUUID());
  const writer = await store.create(session);
  await appended(writer, [created(session)]);
  await writer.close();
  return session;
}

async function send(session: SessionId, command: string, body: object): Promise<CommandAnswer> {
  const at = { tenant: TENANT, session };
  const id = await queue.send(at, { method: 'POST', path: `/sessions/${session}/${command}`, body }, 'test');
  await wakeUp.wake(at);
  return queue.answer(at, id, AbortSignal.timeout(60_000));
}

/** Waits for the end of the turns of a session, and returns its records. */
async function recordsAfter(session: SessionId, turns: number): Promise<readonly Recorded[]> {
  const records: Recorded[] = [];
  for await (const record of store.tail(session, 0, AbortSignal.timeout(120_000))) {
    records.push(record);
    if (record.kind !== 'turn.ended') continue;
    expect(record.data.outcome).toBe('completed');
    if (records.filter(({ kind }) => kind === 'turn.ended').length === turns) return records;
  }
  throw new Error(`session ${session} did not end: ${records.map(({ kind }) => kind).join(' ')}`);
}

/** Checks that nothing in a session was doubled or left out. */
async function checkSession(
  session: SessionId,
  records: readonly Recorded[],
  prompts: readonly string[],
): Promise<void> {
  const given = records.flatMap((record) => (record.kind === 'prompt.given' ? [record.data.parts[0]] : []));
  expect(given).toEqual(prompts.map((text) => ({ type: 'text', text })));
  const answered = records.filter(({ kind }) => kind === 'answer.received');
  expect(answered).toHaveLength(prompts.length * (STEPS + 1));
  const ran = (await readFile(join(folder, 'ran.txt'), 'utf8')).split('\n').filter((line) => line.startsWith(session));
  const writes = records.flatMap((record) =>
    record.kind === 'tool.started' && record.data.effect === 'write' ? [`${session} ${record.data.call}`] : [],
  );
  for (const write of new Set(writes)) expect(ran.filter((line) => line === write).length).toBeLessThanOrEqual(1);
  expect(new Set(writes).size).toBe(writes.length);
  const { differences, breaks } = await verifySession(store, session, { encoders: () => anthropicEncoder });
  expect([differences, breaks]).toEqual([[], []]);
}

describe('workers', () => {
  test('run the commands of a session in order, and answer each of them', async () => {
    await startWorker('one');
    await startWorker('two');
    const session = await newSession();
    expect(await send(session, 'prompt', { text: 'first' })).toMatchObject({ status: 202, body: { session } });
    await recordsAfter(session, 1);
    expect(await send(session, 'prompt', { text: 'second' })).toMatchObject({ status: 202 });
    const records = await recordsAfter(session, 2);
    await checkSession(session, records, ['first', 'second']);
    expect(JSON.stringify(records.at(-2))).toContain(RESULT);
    expect(await send(session, 'prompt', { text: '' })).toMatchObject({ status: 422 });
    expect(await send(sessionId('nobody'), 'prompt', { text: 'x' })).toMatchObject({ status: 404 });
  });

  test('find a command whose wake-up was lost', async () => {
    const session = await newSession();
    const at = { tenant: TENANT, session };
    const id = await queue.send(
      at,
      { method: 'POST', path: `/sessions/${session}/prompt`, body: { text: 'first' } },
      'test',
    );
    await startWorker('one');
    expect(await queue.answer(at, id, AbortSignal.timeout(60_000))).toMatchObject({ status: 202 });
    await checkSession(session, await recordsAfter(session, 1), ['first']);
  });

  test('continue the turns of a killed worker, and repeat no answered step and no finished call', async () => {
    const sessions = await Promise.all(Array.from({ length: 6 }, newSession));
    let last = await startWorker('one');
    await Promise.all(sessions.map((session) => send(session, 'prompt', { text: 'first' })));
    for (const name of ['two', 'three', 'four']) {
      const next = await startWorker(name);
      await last.kill();
      last = next;
    }
    for (const session of sessions) await checkSession(session, await recordsAfter(session, 1), ['first']);
    expect(calls.filter(({ status }) => status !== 200)).toEqual([]);
  });

  test('hand their sessions over when they are asked to end, without an interrupted turn', async () => {
    const sessions = await Promise.all(Array.from({ length: 4 }, newSession));
    const first = await startWorker('one');
    await Promise.all(sessions.map((session) => send(session, 'prompt', { text: 'first' })));
    const second = await startWorker('two');
    first.signal('SIGTERM');
    expect(await first.hear()).toBe('drained');
    for (const session of sessions) {
      const records = await recordsAfter(session, 1);
      await checkSession(session, records, ['first']);
      expect(records.filter(({ kind }) => kind === 'answer.interrupted')).toEqual([]);
    }
    second.signal('SIGTERM');
    expect(await second.hear()).toBe('drained');
    expect(await queue.needed(10)).toEqual([]);
  });

  test('write nothing after they were stopped and another worker has taken their sessions', async () => {
    const sessions = await Promise.all(Array.from({ length: 4 }, newSession));
    const first = await startWorker('one');
    await Promise.all(sessions.map((session) => send(session, 'prompt', { text: 'first' })));
    first.signal('SIGSTOP');
    await startWorker('two');
    const ended = await Promise.all(sessions.map((session) => recordsAfter(session, 1)));
    first.signal('SIGCONT');
    for (const [index, session] of sessions.entries()) {
      await send(session, 'prompt', { text: 'second' });
      const records = await recordsAfter(session, 2);
      expect(records.slice(0, ended[index]?.length)).toEqual(ended[index]);
      await checkSession(session, records, ['first', 'second']);
    }
    expect((await gather(store.read(sessions[0] ?? sessionId('none')))).length).toBeGreaterThan(10);
  });
});
