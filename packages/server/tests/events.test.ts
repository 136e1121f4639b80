// Tests the stream of the events of a session: its errors, its beginning at any position, forks, and readers that leave.

import { createMemoryBackend, createMemoryStore } from '@tidemark/store-memory';
import { createScriptedProvider } from '@tidemark/provider-scripted';
import type { Log } from '@tidemark/log';
import { appended, created, parentAt, prompt, prompts, session, sessionWith } from '@tidemark/log/contract';
import { expect, test } from 'vitest';
import { createReadingLimits } from '../src/live/catch-up.ts';
import { createSessionFeed } from '../src/live/session-feed.ts';
import { readFeed } from './feed-readers.ts';
import type { ServerEvent } from './test-server.ts';
import { openTestServer, readEvents } from './test-server.ts';

const ID = session('followed');

type TestServer = Awaited<ReturnType<typeof openTestServer>>;

function follow(place: TestServer, from: number, headers = {}, id: string = ID): Promise<Response> {
  return fetch(`${place.server.url}/sessions/${id}/events?from=${from}`, {
    headers: { authorization: `Bearer ${place.token}`, ...headers },
  });
}

async function eventsOf(answer: Response, check: (event: ServerEvent) => boolean): Promise<readonly ServerEvent[]> {
  const seen: ServerEvent[] = [];
  for await (const event of readEvents(answer)) {
    seen.push(event);
    if (check(event)) break;
  }
  return seen;
}

const isState = ({ event }: ServerEvent): boolean => event === 'state';
const idsOf = (events: readonly ServerEvent[]): readonly number[] =>
  events.filter(({ event }) => event === 'record').map(({ id }) => Number(id));

test('a damaged log sends its intact records, then the frame `failed`, and the stream ends', async () => {
  const backend = createMemoryBackend();
  const log = createMemoryStore(backend);
  await (await sessionWith(log, ID, 5)).close();
  const data = backend.sessions.get(ID);
  if (data === undefined) throw new Error('no data');
  const at = data.length - 20;
  data.bytes[at] = (data.bytes[at] ?? 0) ^ 1;
  await using place = await openTestServer({ log });
  const events = await eventsOf(await follow(place, 0), () => false);
  expect(idsOf(events)).toEqual([0, 1, 2, 3, 4]);
  expect(events.at(-1)).toMatchObject({ event: 'failed', data: { code: 'log/damaged' } });
});

test('a position after the end of the log is refused before the stream begins', async () => {
  const log = createMemoryStore();
  await sessionWith(log, ID, 2);
  await using place = await openTestServer({ log });
  const refused = await follow(place, 4);
  expect(refused.status).toBe(409);
  expect(await refused.json()).toMatchObject({ error: { code: 'server/beyond-end' } });
  expect((await follow(place, 0, { 'last-event-id': '9' })).status).toBe(409);
  expect((await follow(place, 0, {}, 'missing')).status).toBe(404);
  const events = await eventsOf(await follow(place, 3), isState);
  expect(events).toMatchObject([{ event: 'state', data: { length: 3 } }]);
});

test('a reader of a fork gets the records of its ancestors, then those of the fork', async () => {
  const log = createMemoryStore();
  await sessionWith(log, ID, 4);
  const fork = session('fork');
  const parent = await parentAt(log, ID, 2);
  const writer = await log.create(fork, parent);
  await appended(writer, [created(fork, { parent }), ...prompts(2)]);
  await using place = await openTestServer({ log });
  const events = await eventsOf(await follow(place, 1, {}, fork), isState);
  expect(idsOf(events)).toEqual([1, 2, 3, 4, 5]);
});

test('a reader whose log became shorter gets `log/moved`, and never a second record at one position', async () => {
  const backend = createMemoryBackend();
  const log = createMemoryStore(backend);
  const writer = await sessionWith(log, ID, 2);
  const data = backend.sessions.get(ID);
  if (data === undefined) throw new Error('no data');
  const before = data.length;
  await appended(writer, prompts(1));
  const failing: { tail?: (error: Error) => void } = {};
  const followed: Log = {
    ...log,
    async *tail(_id, _from, signal) {
      const failed = new Promise<never>((_resolve, reject) => (failing.tail = reject));
      signal.addEventListener('abort', () => failing.tail?.(new Error('aborted')));
      yield await failed;
    },
  };
  const feed = createSessionFeed(followed, ID, { limits: createReadingLimits() });
  const reader = readFeed(feed, 0);
  await reader.until(() => reader.states.length > 0);
  data.length = before;
  failing.tail?.(Object.assign(new Error('shorter'), { code: 'log/moved' }));
  expect(await reader.ended).toMatchObject({ code: 'log/moved' });
  expect(reader.records.length).toBe(4);
});

test('a log that can be read but not followed ends its readers with the error', async () => {
  const log = createMemoryStore();
  await sessionWith(log, ID, 2);
  const blind: Log = {
    ...log,
    tail: () => {
      throw Object.assign(new Error('too many open files'), { code: 'EMFILE' });
    },
  };
  const feed = createSessionFeed(blind, ID, { limits: createReadingLimits() });
  const reader = readFeed(feed, 0);
  expect(await reader.ended).toMatchObject({ code: 'EMFILE' });
  expect(feed.readers()).toBe(0);
});

test('a client that comes back in the middle of an answer gets its text so far at once', async () => {
  const scripted = createScriptedProvider({ answers: [{ parts: [{ type: 'text', text: 'The tide turns.' }] }] });
  const goOn = Promise.withResolvers<void>();
  const provider = {
    ...scripted,
    async *send(...given: Parameters<typeof scripted.send>) {
      for await (const part of scripted.send(...given)) {
        yield part;
        if (part.type === 'text.delta') await goOn.promise;
      }
    },
  };
  await using place = await openTestServer({ agent: { provider } });
  const { session: id } = (await place.send('POST', '/sessions', {})).body;
  await place.send('POST', `/sessions/${id}/prompt`, { text: 'Go on.' });
  const first = await eventsOf(await follow(place, 0, {}, id), ({ data }) => data.text === 'The tide turns.');
  const last = idsOf(first).at(-1);
  const [state] = await eventsOf(await follow(place, 0, { 'last-event-id': String(last) }, id), isState);
  expect(state).toMatchObject({
    event: 'state',
    data: { length: (last ?? 0) + 1, text: 'The tide turns.', open: true },
  });
  goOn.resolve();
  await place.until(id, ({ data }) => data.kind === 'turn.ended');
});

test('a reader that does not read for a while gets pieces of at most 64 KiB and 1 frame', async () => {
  const log = createMemoryStore();
  await (await sessionWith(log, ID, 1)).close();
  const feed = createSessionFeed(log, ID, { limits: createReadingLimits() });
  const [sizes, aborting] = [[] as number[], new AbortController()];
  const held = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  const write = (bytes: Uint8Array): Promise<void> | undefined => {
    sizes.push(bytes.length);
    if (!new TextDecoder().decode(bytes).includes('event: state')) return undefined;
    begun.resolve();
    return held.promise;
  };
  const reading = feed.read(0, { write }, aborting.signal);
  await begun.promise;
  const text = 'a'.repeat(10_000);
  for (let count = 0; count < 50; count += 1) feed.tell({ type: 'draft.queued', draft: { id: `${count}`, text } });
  held.resolve();
  await expect.poll(() => sizes.reduce((sum, size) => sum + size, 0)).toBeGreaterThan(500_000);
  expect(Math.max(...sizes)).toBeLessThanOrEqual(65_536);
  aborting.abort();
  await reading;
});

test('streams above the limit are refused, commands still work, and a reader that leaves frees its place', async () => {
  const log = createMemoryStore();
  const writer = await sessionWith(log, ID, 2);
  // More than the buffers of a connection contain, so each reader stalls.
  for (let round = 0; round < 40; round += 1) await appended(writer, [prompt('long '.repeat(100_000))]);
  await using place = await openTestServer({ log, server: { limits: { connections: 8 } } });
  const answers = await Promise.all(Array.from({ length: 6 }, () => follow(place, 0)));
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200]);
  const refused = await follow(place, 0);
  expect(await refused.json()).toMatchObject({ error: { code: 'server/too-many-readers' } });
  expect((await place.send('GET', `/sessions/${ID}`)).status).toBe(200);
  for (const { body } of answers) await body?.cancel();
  await expect.poll(async () => (await follow(place, 40)).status).toBe(200);
});
