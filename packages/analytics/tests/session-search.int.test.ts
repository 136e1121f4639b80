// Tests the search over the texts of sessions: which records it finds, and what an update of the index reads.

import type { Event, SessionId } from '@tidemark/log';
import { LogError, callId, sessionId, timestamp, turnId } from '@tidemark/log';
import type { MemoryBackend } from '@tidemark/store-memory';
import { createMemoryBackend, createMemoryStore } from '@tidemark/store-memory';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { SessionProjection, TextQuery } from '../src/index.ts';
import { openSessionProjection } from '../src/index.ts';

let backend: MemoryBackend;
let projection: SessionProjection;
let reads = 0;
let damagedAt = -1;

beforeEach(async () => {
  backend = createMemoryBackend();
  damagedAt = -1;
  const log = createMemoryStore(backend);
  projection = await openSessionProjection({
    path: undefined,
    log: {
      ...log,
      async *read(...range) {
        for await (const record of log.read(...range)) {
          if (record.position === damagedAt) throw new LogError('log/damaged', 'damaged', { session: record.chain });
          reads += 1;
          yield record;
        }
      },
    },
    rowOf: () => undefined,
    rules: 'test',
  });
});

afterEach(() => projection.close());

const AT = timestamp('2026-01-02T03:04:05.000Z');
const turn = turnId('t1');
const call = callId('c1');
const text = (words: string) => [{ type: 'text', text: words } as const];
const said = { provider: 'anthropic', model: 'claude-sonnet-4-5', stream: 'main', truncated: 'no' } as const;
const usage = { fresh: 10, read: 0, writes: [], answer: 5 };

const created = (id: string, title?: string, imported = false): Event => ({
  kind: 'session.created',
  at: AT,
  data: {
    id: sessionId(id),
    root: sessionId(id),
    workspace: '/work',
    ...(title !== undefined && { title }),
    ...(imported && { imported: { format: 'claude-code', source: 'x.jsonl' } }),
  },
});
const prompt = (words: string): Event => ({
  kind: 'prompt.given',
  at: AT,
  turn,
  data: { parts: text(words), presenter: 'user' },
});
const answer = (words: string, step: number, path?: string): Event => ({
  kind: 'answer.received',
  at: AT,
  turn,
  data: {
    ...said,
    usage,
    step,
    stop: path === undefined ? 'end' : 'calls',
    parts: [
      ...text(words),
      ...(path === undefined
        ? []
        : [{ type: 'call' as const, call, name: 'Read', arguments: JSON.stringify({ file_path: path }) }]),
    ],
  },
});
const result = (words: string, path: string): Event => ({
  kind: 'tool.returned',
  at: AT,
  turn,
  data: { call, parts: text(words), files: [{ path, as: 'read' }] },
});
const started: Event = { kind: 'turn.started', at: AT, turn, data: { trigger: 'user' } };

async function write(id: string, events: readonly Event[]): Promise<SessionId> {
  const log = createMemoryStore(backend);
  const session = sessionId(id);
  const writer = backend.sessions.has(session) ? await log.open(session) : await log.create(session);
  expect(await writer.append(events, writer.length)).toMatchObject({ ok: true });
  await writer.close();
  return session;
}

/** Brings everything up to date and returns the places of the matches as `session position step`. */
async function find(query: string, more: Partial<TextQuery> = {}): Promise<readonly string[]> {
  await projection.update();
  await projection.updateTexts();
  const { sessions } = await projection.search({ text: query, ...more });
  return sessions.flatMap(({ session, places }) =>
    places.map(({ position, step }) => `${session} ${position} ${step}`),
  );
}

test('a search finds titles, prompts, answers and files with the step that contained them, and no results', async () => {
  await write('a', [created('a', 'Mend the gate'), started, prompt('Paint the fénce green.')]);
  await write('a', [
    answer('I read the rates.', 0, 'src/tax/rates.ts'),
    result('secret heron', '/work/src/tax/rates.ts'),
  ]);
  await write('a', [answer('Done.', 1)]);
  expect(await find('gate')).toEqual(['a 0 0']);
  expect(await find('FENCE paint')).toEqual(['a 2 0']);
  expect(await find('rat')).toEqual(['a 4 1', 'a 3 0']);
  expect(await find('tax/rates.ts')).toEqual(['a 4 1']);
  expect(await find('heron')).toEqual([]);
  expect(await find('gate fence')).toEqual([]);
});

test('words in quotes are next to each other, and signs of the syntax of SQLite are only text', async () => {
  await write('a', [created('a'), started, prompt('one two three')]);
  expect(await find('"two three"')).toEqual(['a 2 null']);
  expect(await find('"one three"')).toEqual([]);
  expect(await find('"tw"')).toEqual([]);
  for (const wild of ['one OR nothing', 'prompt:one', 'NOT one', '-', '"', '* ^ ('])
    expect(await find(wild)).toEqual([]);
  expect(await find('one AND')).toEqual([]);
  expect(await find('two) (one')).toEqual(['a 2 null']);
});

test('the files of an import are those that its calls name', async () => {
  const log = [started, answer('I read.', 0, 'docs/heron.md')];
  await write('own', [created('own'), ...log]);
  await write('imported', [created('imported', undefined, true), ...log]);
  expect(await find('heron')).toEqual(['imported 2 0']);
});

test('a search of one session returns all of its matches, and a search of all sessions the last three', async () => {
  const answers = Array.from({ length: 5 }, (_, step) => answer(`The heron ${step}.`, step));
  await write('a', [created('a'), started, ...answers]);
  await write('b', [created('b'), started, ...answers]);
  expect(await find('heron')).toEqual(['b 6 4', 'b 5 3', 'b 4 2', 'a 6 4', 'a 5 3', 'a 4 2']);
  expect(await find('heron', { session: 'a' })).toEqual(['a 6 4', 'a 5 3', 'a 4 2', 'a 3 1', 'a 2 0']);
  const first = await projection.search({ text: 'heron', limit: 1 });
  expect(first).toMatchObject({ more: true, sessions: [{ session: 'b', records: 5 }] });
  expect((await projection.search({ text: 'heron', limit: 2 })).more).toBe(false);
});

test('an update of the index reads only new records, and a session that was replaced or deleted leaves no text', async () => {
  await write('a', [created('a'), started, prompt('The heron stands.')]);
  expect(await find('heron')).toHaveLength(1);
  await write('a', [answer('The heron flies.', 0)]);
  await projection.update();
  reads = 0;
  await projection.updateTexts();
  expect(reads).toBe(1);
  expect(await find('heron')).toEqual(['a 3 0', 'a 2 0']);
  backend.sessions.delete(sessionId('a'));
  await write('a', [created('a'), started, prompt('The egret stands.'), answer('Yes.', 0)]);
  expect(await find('heron')).toEqual([]);
  expect(await find('egret')).toEqual(['a 2 0']);
  backend.sessions.delete(sessionId('a'));
  await write('b', [created('b'), started, prompt('Another.')]);
  expect(await find('egret')).toEqual([]);
});

test('a log that cannot be read to its end is found up to there, and the rest when it can be read', async () => {
  await write('a', [created('a'), started, prompt('The heron stands.'), answer('The egret flies.', 0)]);
  await projection.update();
  damagedAt = 3;
  await projection.updateTexts();
  const texts = async (query: string) => (await projection.search({ text: query })).sessions.length;
  expect([await texts('heron'), await texts('egret')]).toEqual([1, 0]);
  damagedAt = -1;
  await projection.updateTexts();
  expect([await texts('heron'), await texts('egret')]).toEqual([1, 1]);
});

test('a fork has only the texts of its own records', async () => {
  await write('a', [created('a'), started, prompt('The heron stands.')]);
  const log = createMemoryStore(backend);
  const { chain, position } = (await Array.fromAsync(log.read(sessionId('a')))).at(-1) ?? { chain: undefined };
  if (chain === undefined) throw new Error('the session has no record');
  const parent = { session: sessionId('a'), position, chain };
  const writer = await log.create(sessionId('f'), parent);
  const { kind, at, data } = created('f');
  if (kind !== 'session.created') throw new Error('not a session');
  const root = sessionId('a');
  expect(
    await writer.append([{ kind, at, data: { ...data, root, parent } }, prompt('The heron flies.')], 3),
  ).toMatchObject({ ok: true });
  await writer.close();
  expect((await find('heron')).toSorted()).toEqual(['a 2 null', 'f 4 null']);
});
