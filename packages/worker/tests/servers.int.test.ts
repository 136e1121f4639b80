// Tests two servers and workers in processes of their own, on a real database: commands go through one server and are
// seen through the other, and processes are killed.

import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import type { Child } from '@tidemark/log/contract/child';
import { startChild } from '@tidemark/log/contract/child';
import type { ListeningSimulator } from '@tidemark/simulator';
import { createSimulator } from '@tidemark/simulator';
import { migrate } from '@tidemark/store-postgres';
import { Client } from 'pg';
import { afterEach, beforeEach, expect, inject, test } from 'vitest';

import { answerOf } from './worked-script.ts';

const TOKEN = 'token-of-the-tests-with-forty-characters';
const HEADERS = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' };

/** Prompt whose answer stops arriving after its first words. */
const HALTS = 'Begin an answer, then wait.';

type Parsed = ReturnType<typeof JSON.parse>;

interface StreamEvent {
  readonly event: string;
  readonly data: Parsed;
}

interface RunningServer {
  readonly url: string;
  readonly child: Child;
}

let folder: string;
let url: string;
let simulator: ListeningSimulator;
const children: Child[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tidemark-servers-'));
  const name = `servers_${randomUUID().replaceAll('-', '')}`;
  const client = new Client({ connectionString: `${inject('postgres')}/postgres` });
  await client.connect();
  await client.query(`create database ${name}`);
  await client.end();
  url = `${inject('postgres')}/${name}`;
  await migrate(url);
  const provider = createSimulator({
    onRequest: (sent) =>
      JSON.stringify(sent.body).includes(HALTS)
        ? { answer: { text: 'These words arrive. These words never do.' }, fault: { kind: 'silence', afterEvents: 4 } }
        : { answer: answerOf(sent) },
    deltaCharacters: 20,
  });
  simulator = await provider.listen();
});
afterEach(async () => {
  for (const child of children.splice(0)) await child.kill();
  await simulator.close();
  await rm(folder, { recursive: true, force: true });
});

function start(program: string, name: string): Child {
  const path = fileURLToPath(new URL(program, import.meta.url));
  const child = startChild(process.execPath, [path, url, folder, simulator.url, name, TOKEN]);
  children.push(child);
  return child;
}

async function startWorker(name: string): Promise<Child> {
  const child = start('run-worker.ts', name);
  expect(await child.hear()).toBe('ready');
  return child;
}

async function startServer(name: string): Promise<RunningServer> {
  const child = start('run-server.ts', name);
  const address = await child.hear();
  expect(address).toMatch(/^http:/);
  return { url: address, child };
}

async function send(server: RunningServer, method: string, path: string, body?: object): Promise<Parsed> {
  const answer = await fetch(`${server.url}${path}`, {
    method,
    headers: HEADERS,
    ...(body && { body: JSON.stringify(body) }),
  });
  return { status: answer.status, body: await answer.json() };
}

/** Follows a session from a position until a function returns true. Returns the positions of the records. */
async function follow(
  server: RunningServer,
  session: string,
  from: number,
  isLast: (event: StreamEvent) => boolean | Promise<boolean>,
): Promise<readonly number[]> {
  const positions: number[] = [];
  const signal = AbortSignal.timeout(60_000);
  const answer = await fetch(`${server.url}/sessions/${session}/events?from=${from}`, { headers: HEADERS, signal });
  let text = '';
  if (answer.body === null) throw new Error('the stream has no body');
  for await (const piece of answer.body.pipeThrough(new TextDecoderStream())) {
    text += piece;
    const blocks = text.split('\n\n');
    text = blocks.pop() ?? '';
    for (const block of blocks) {
      const event = /^event: (.*)$/m.exec(block)?.[1] ?? '';
      const data = /^data: (.*)$/m.exec(block)?.[1];
      if (data === undefined) continue;
      const parsed: Parsed = JSON.parse(data);
      if (event === 'record') positions.push(parsed.position);
      if (await isLast({ event, data: parsed })) return positions;
    }
  }
  throw new Error('the stream ended');
}

const hasEnded = ({ event, data }: StreamEvent): boolean => event === 'record' && data.kind === 'turn.ended';
const isAnswered = ({ event, data }: StreamEvent): boolean => event === 'record' && data.kind === 'answer.received';

function expectEachOnce(positions: readonly number[]): void {
  expect(positions).toEqual(positions.map((_, index) => index));
}

test('a session is prompted, steered, answered and interrupted through one server, and seen through another', async () => {
  await startWorker('one');
  await startWorker('two');
  const [a, b] = [await startServer('a'), await startServer('b')];
  const session: string = (await send(a, 'POST', '/sessions', {})).body.session;
  const path = `/sessions/${session}`;
  expect(await send(a, 'PUT', `${path}/mode`, { mode: 'ask' })).toMatchObject({ status: 200 });
  expect(await send(a, 'POST', `${path}/prompt`, { text: 'Work.' })).toMatchObject({ status: 202 });
  const answered = new Set<string>();
  const outcomes: unknown[] = [];
  const positions = await follow(b, session, 0, async (event) => {
    for (const { id } of event.event === 'state' ? event.data.questions : []) {
      if (answered.has(id)) continue;
      if (answered.size === 0) {
        expect((await send(b, 'GET', path)).body).toMatchObject({
          running: true,
          elsewhere: false,
          questions: [{ id }],
        });
        expect(await send(b, 'POST', `${path}/steer`, { text: 'Be quick.' })).toMatchObject({ status: 200 });
      }
      answered.add(id);
      expect(await send(a, 'POST', `${path}/questions/${id}`, { decision: 'allowed' })).toMatchObject({ status: 200 });
    }
    if (hasEnded(event)) outcomes.push(event.data.data.outcome);
    return hasEnded(event);
  });
  expectEachOnce(positions);
  expect(answered.size).toBeGreaterThan(0);
  expect(outcomes).toEqual(['completed']);
  expect(await send(b, 'POST', `${path}/prompt`, { text: HALTS })).toMatchObject({ status: 202 });
  let arrived = '';
  await follow(b, session, positions.length, async (event) => {
    if (event.event === 'state' && event.data.text !== '' && arrived === '') {
      arrived = event.data.text;
      expect(await send(b, 'POST', `${path}/interrupt`)).toMatchObject({ status: 200 });
    }
    if (hasEnded(event)) outcomes.push(event.data.data.outcome);
    return hasEnded(event);
  });
  expect(arrived).toContain('These words');
  expect(outcomes).toEqual(['completed', 'interrupted']);
});

test('a stream goes on to the end of a turn whose worker was killed', async () => {
  const worker = await startWorker('one');
  const [a, b] = [await startServer('a'), await startServer('b')];
  const session: string = (await send(a, 'POST', '/sessions', {})).body.session;
  expect(await send(a, 'POST', `/sessions/${session}/prompt`, { text: 'Work.' })).toMatchObject({ status: 202 });
  let isKilled = false;
  const positions = await follow(b, session, 0, async (event) => {
    if (isAnswered(event) && !isKilled) {
      isKilled = true;
      await worker.kill();
      await startWorker('two');
    }
    if (hasEnded(event)) expect(event.data.data.outcome).toBe('completed');
    return hasEnded(event);
  });
  expectEachOnce(positions);
});

test('a client whose server was killed goes on at another one from its position', async () => {
  await startWorker('one');
  const [a, b] = [await startServer('a'), await startServer('b')];
  const session: string = (await send(a, 'POST', '/sessions', {})).body.session;
  expect(await send(a, 'POST', `/sessions/${session}/prompt`, { text: 'Work.' })).toMatchObject({ status: 202 });
  const first = await follow(a, session, 0, isAnswered);
  await a.child.kill();
  const rest = await follow(b, session, first.length, hasEnded);
  expectEachOnce([...first, ...rest]);
  expect(await send(b, 'POST', `/sessions/${session}/prompt`, { text: 'More.' })).toMatchObject({ status: 202 });
});
