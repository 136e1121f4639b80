// Tests `followSession` with answers that the test writes: connections that break, pieces of any size, other events.

import { expect, test } from 'vitest';
import type { FollowedEvent, FollowOptions } from '../src/index.ts';
import { createSessionClient, followSession, RequestError } from '../src/index.ts';

/** Answer to one connection: pieces of the stream, then its end or an error; or another answer. */
type Answer = { readonly pieces: readonly (string | Uint8Array)[]; readonly end?: 'close' | 'cut' | 'open' } | Response;

const record = (position: number): string =>
  `id: ${position}\nevent: record\ndata: ${JSON.stringify({ v: 1, position, kind: 'prompt.given', data: {} })}\n\n`;
const STATE = `event: state\ndata: ${JSON.stringify({ length: 2, open: true, text: '', reasoning: '', outputs: [], questions: [] })}\n\n`;
const delta = (text: string): string => `event: passing\ndata: ${JSON.stringify({ type: 'text.delta', text })}\n\n`;

/** Follows a session whose connections get these answers. Ends after the events of the last answer. */
async function follow(answers: readonly Answer[], options: FollowOptions = {}) {
  const addresses: string[] = [];
  const ended = new AbortController();
  const client = createSessionClient({
    url: 'http://tidemark.test',
    fetch: async ({ url, signal }) => {
      addresses.push(url.replace('http://tidemark.test', ''));
      const answer = answers[addresses.length - 1];
      if (answer === undefined) {
        ended.abort();
        throw new TypeError('the test is over');
      }
      return answer instanceof Response ? answer : new Response(streamOf(answer, signal));
    },
  });
  const events: FollowedEvent[] = [];
  for await (const event of followSession(client, 's1', {
    pauseMs: 1,
    longestPauseMs: 4,
    signal: ended.signal,
    ...options,
  }))
    events.push(event);
  return { events, addresses };
}

function streamOf(
  { pieces, end = 'close' }: Exclude<Answer, Response>,
  signal: AbortSignal,
): ReadableStream<Uint8Array> {
  const rest = [...pieces];
  return new ReadableStream<Uint8Array>({
    start(controller) {
      signal.addEventListener('abort', () => controller.error(signal.reason));
    },
    pull(controller) {
      const piece = rest.shift();
      if (piece !== undefined)
        return controller.enqueue(typeof piece === 'string' ? new TextEncoder().encode(piece) : piece);
      if (end === 'close') controller.close();
      if (end === 'cut') controller.error(new TypeError('the connection was cut'));
      return undefined;
    },
  });
}

const positions = (events: readonly FollowedEvent[]): readonly number[] =>
  events.flatMap((event) => (event.type === 'record' ? [event.record.position] : []));
const kinds = (events: readonly FollowedEvent[]): readonly string[] => events.map(({ type }) => type);

test.each(['close', 'cut'] as const)(
  'a connection that ends by %s is opened again after the last record',
  async (end) => {
    const { events, addresses } = await follow([
      { pieces: [record(0), record(1), STATE, delta('a')], end },
      { pieces: [record(2), STATE], end },
    ]);
    expect(positions(events)).toEqual([0, 1, 2]);
    expect(kinds(events)).toEqual(['record', 'record', 'state', 'passing', 'lost', 'record', 'state', 'lost']);
    expect(addresses).toEqual([0, 2, 3].map((from) => `/sessions/s1/events?from=${from}`));
  },
);

test('a record that comes again is left out', async () => {
  const { events } = await follow([{ pieces: [record(0), record(1)] }, { pieces: [record(0), record(1), record(2)] }]);
  expect(positions(events)).toEqual([0, 1, 2]);
});

test('`from` is the position of the first record', async () => {
  const { events, addresses } = await follow([{ pieces: [record(7)] }], { from: 7 });
  expect(positions(events)).toEqual([7]);
  expect(addresses[0]).toBe('/sessions/s1/events?from=7');
});

test('events are the same for every division of the stream into pieces', async () => {
  const text = `${record(0)}:\n\n${delta('é → 🌊')}${STATE}`;
  const bytes = new TextEncoder().encode(text);
  const { events } = await follow([{ pieces: [...bytes].map((byte) => Uint8Array.of(byte)) }]);
  expect(events.slice(0, 3)).toMatchObject([
    { type: 'record' },
    { type: 'passing', event: { type: 'text.delta', text: 'é → 🌊' } },
    { type: 'state' },
  ]);
});

test('an unfinished event at the end of a connection is not used', async () => {
  const { events, addresses } = await follow([
    { pieces: [record(0), record(1).slice(0, -5)], end: 'cut' },
    { pieces: [record(1)] },
  ]);
  expect(positions(events)).toEqual([0, 1]);
  expect(addresses[1]).toBe('/sessions/s1/events?from=1');
});

test('an event that this client does not know is ignored', async () => {
  const { events } = await follow([{ pieces: ['event: later\ndata: {}\n\n', 'data: not JSON\n\n', record(0)] }]);
  expect(kinds(events)).toEqual(['record', 'lost']);
});

test('an error of the server in the stream is yielded, and the connection is opened again', async () => {
  const error = { code: 'log/damaged', message: 'the log is damaged', next: 'repair it' };
  const { events } = await follow([
    { pieces: [`event: failed\ndata: ${JSON.stringify(error)}\n\n`] },
    { pieces: [record(0)] },
  ]);
  expect(events[0]).toEqual({ type: 'failed', error });
  expect(positions(events)).toEqual([0]);
});

test.each([400, 401, 403, 404, 422])('an answer with the status %i ends the events with an error', async (status) => {
  const body = { ok: false, error: { code: 'log/missing', message: 'no such session', next: 'list them' } };
  const error: unknown = await follow([Response.json(body, { status })]).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(RequestError);
  expect(error).toMatchObject({ status, code: 'log/missing', message: 'no such session', next: 'list them' });
});

test('an answer of a proxy that has no body of the server is an error with a code', async () => {
  await expect(follow([new Response('<h1>not found</h1>', { status: 404 })])).rejects.toMatchObject({
    status: 404,
    code: 'client/bad-answer',
  });
});

test('pauses double up to the longest one, and begin again after an event', async () => {
  const busy = () => new Response('', { status: 503 });
  const { events } = await follow([busy(), busy(), busy(), busy(), { pieces: [record(0)] }, busy()]);
  expect(events.flatMap((event) => (event.type === 'lost' ? [event.pauseMs] : []))).toEqual([1, 2, 4, 4, 1, 2]);
});

test('a connection that is silent for too long is opened again', async () => {
  const { events } = await follow([{ pieces: [record(0)], end: 'open' }, { pieces: [record(1)] }], { silentMs: 20 });
  expect(positions(events)).toEqual([0, 1]);
  expect(events[1]).toMatchObject({ type: 'lost', cause: { message: 'the server sent nothing for 20 ms' } });
});

test('a comment of the server keeps a connection', async () => {
  const { events } = await follow([{ pieces: [':\n\n', ':\n\n', record(0)] }], { silentMs: 1_000 });
  expect(kinds(events)).toEqual(['record', 'lost']);
});

test('an abort ends the events while a connection is open, and during a pause', async () => {
  for (const answer of [{ pieces: [record(0)], end: 'open' } as const, new Response('', { status: 503 })]) {
    const stop = new AbortController();
    const client = createSessionClient({
      url: 'http://tidemark.test',
      fetch: async ({ signal }) => (answer instanceof Response ? answer : new Response(streamOf(answer, signal))),
    });
    for await (const _event of followSession(client, 's1', { signal: stop.signal, pauseMs: 1e9, longestPauseMs: 1e9 }))
      stop.abort();
  }
});

test('a caller that stops closes the connection', async () => {
  let closed = false;
  const client = createSessionClient({
    url: 'http://tidemark.test',
    fetch: async ({ signal }) => {
      signal.addEventListener('abort', () => (closed = true));
      return new Response(streamOf({ pieces: [record(0)], end: 'open' }, signal));
    },
  });
  for await (const _event of followSession(client, 's1')) break;
  expect(closed).toBe(true);
});
