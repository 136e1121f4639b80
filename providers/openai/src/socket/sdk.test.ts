// Tests how the server-sent events of an answer are read.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createOpenAISdk } from './sdk.ts';

const sdk = createOpenAISdk({
  service: { name: 'openai', title: 'OpenAI' },
  key: 'a-key',
  baseURL: 'http://127.0.0.1:9/v1',
  idleMs: 1_000,
  fetch: () => Promise.reject(new Error('these tests send nothing')),
  reach: { answered: false },
  headers: {},
  hide: (text) => text,
});

function response(chunks: readonly (string | Uint8Array)[]): Response {
  return new Response(
    new ReadableStream({
      start(controller) {
        for (const chunk of chunks) controller.enqueue(typeof chunk === 'string' ? Buffer.from(chunk) : chunk);
        controller.close();
      },
    }),
  );
}

async function dataOf(answer: Response, controller = new AbortController()): Promise<readonly string[]> {
  const all: string[] = [];
  const events = sdk.events(answer, controller);
  for (let next = await events.next(); next.done !== true; next = await events.next()) all.push(next.value.data);
  return all;
}

describe('`events`', () => {
  it.each([
    ['one event per chunk', ['data: {"a":1}\n\n', 'data: {"b":2}\n\n'], ['{"a":1}', '{"b":2}']],
    ['lines that end with CR LF or CR', ['event: x\r\ndata: 1\r\n\r\ndata: 2\r\r'], ['1', '2']],
    ['a CR LF that is split between chunks', ['data: 1\r', '\n\r', '\ndata: 2\r', '\n\r\n'], ['1', '2']],
    ['several data lines in one event', ['data: {"a":\ndata: 1}\n\n'], ['{"a":\n1}']],
    ['comments, ids and unknown fields between events', [': keep-alive\n\nid: 7\nretry: 1\nx: y\ndata:1\n\n'], ['1']],
    ['a byte order mark at the start', ['\uFEFFdata: 1\n\n'], ['1']],
    ['a last event without its blank line', ['data: 1\n\ndata: 2\n'], ['1', '2']],
    ['a last event without any line end', ['data: 1\n\ndata: 2'], ['1', '2']],
    ['a last line that ends with CR', ['data: 1\r'], ['1']],
    ['a stream without events', ['\n\n: nothing\n'], []],
    ['an empty body', [], []],
  ])('reads the data of %s', async (_title, chunks, expected) => {
    expect(await dataOf(response(chunks))).toEqual(expected);
  });

  it('reads a response without a body as a stream without events', async () => {
    expect(await dataOf(new Response(null))).toEqual([]);
  });

  it('reads the same data wherever the bytes are cut into chunks', async () => {
    const line = fc.string({ unit: fc.constantFrom('a', 'é', '🌊', '"', '\\', ':', ' ') });
    const cuts = fc.array(fc.nat(200));
    await fc.assert(
      fc.asyncProperty(
        fc.array(line, { minLength: 1 }),
        fc.constantFrom('\n', '\r\n', '\r'),
        cuts,
        async (lines, end, at) => {
          const bytes = Buffer.from(lines.map((text) => `event: e${end}data: ${text}${end}${end}`).join(''));
          const places = [0, ...at.map((place) => place % (bytes.length + 1)).toSorted((a, b) => a - b), bytes.length];
          const chunks = places.slice(1).map((to, index) => bytes.subarray(places[index], to));
          expect(await dataOf(response(chunks))).toEqual(lines);
        },
      ),
    );
  });

  it.each([
    ['while a read waits', ['data: 1\n\n'], 1],
    ['between two events of one chunk', ['data: 1\n\ndata: 2\n\n'], 1],
    ['before the first read', [], 0],
  ])('end when the controller aborts %s, even if the body never ends', async (_title, chunks, before) => {
    const controller = new AbortController();
    let isCancelled = false;
    const endless = new ReadableStream<Uint8Array>({
      start(stream) {
        for (const chunk of chunks) stream.enqueue(Buffer.from(chunk));
      },
      cancel() {
        isCancelled = true;
        return new Promise(() => undefined);
      },
    });
    const events = sdk.events(new Response(endless), controller);
    for (let event = 0; event < before; event += 1) expect(await events.next()).toMatchObject({ done: false });
    const next = events.next();
    controller.abort();
    await next;
    expect(await events.next()).toEqual({ done: true, value: undefined });
    expect(isCancelled).toBe(true);
  });

  it('pass on the error of a body that breaks', async () => {
    const broken = new ReadableStream<Uint8Array>({ start: (stream) => stream.error(new Error('connection reset')) });
    await expect(dataOf(new Response(broken))).rejects.toThrow('connection reset');
  });
});
