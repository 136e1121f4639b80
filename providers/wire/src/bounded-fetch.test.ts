import { describe, expect, it } from 'vitest';
import { boundAnswer } from './bounded-fetch.ts';

const SERVICE = { name: 'somebody', title: 'Somebody' };
const LIMITS = { answerBytes: 1_000, eventBytes: 100, events: 100, characters: 1_000 };
const EVENT = `data: ${'a'.repeat(60)}`;

/** Returns the text that a reader gets from a bounded body whose bytes arrive in these pieces. */
function read(pieces: readonly string[], headers: Record<string, string> = {}): Promise<string> {
  const body = new ReadableStream({
    start(controller) {
      for (const piece of pieces) controller.enqueue(new TextEncoder().encode(piece));
      controller.close();
    },
  });
  return boundAnswer(SERVICE, new Response(body, { headers }), LIMITS).text();
}

describe('a bounded body', () => {
  it.each(['\n\n', '\r\n\r\n', '\r\r'])(
    'passes many events that end in %j, for any size of the pieces',
    async (end) => {
      const text = `${EVENT}${end}`.repeat(12);
      for (const size of [1, 7, 63, 64, 65, 500]) {
        const pieces = text.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? [];
        expect(await read(pieces)).toBe(text);
      }
    },
  );

  it.each([
    ['one event', ['data: ', 'a'.repeat(99)]],
    ['one event after others', [`${EVENT}\n\n`, `${EVENT}\n`, EVENT]],
    ['one event of many lines', Array.from({ length: 20 }, () => 'data: a\n')],
    ['an event at the beginning of a large piece', [`${'a'.repeat(101)}\n\nb`]],
    ['many small events', Array.from({ length: 200 }, () => 'data\n\n')],
    ['many comments', Array.from({ length: 101 }, () => ':\r\n\r\n')],
    ['many comments, one byte at a time', Array.from(':\n\n'.repeat(101))],
  ])('throws `provider/oversized` above a limit: %s', async (_title, pieces) => {
    await expect(read(pieces)).rejects.toMatchObject({ class: 'refused', code: 'provider/oversized' });
  });

  it('passes as many events as the limit allows, one byte at a time', async () => {
    expect(await read(Array.from(':\n\n'.repeat(100)))).toHaveLength(300);
  });

  it('throws `provider/address` if it begins with `<`, even after blanks, for any content type', async () => {
    for (const pieces of [['<html>'], ['\n', ' ', '<p>'], ['\uFEFF<?xml version="1.0"?>']]) {
      await expect(read(pieces)).rejects.toMatchObject({ class: 'stop', code: 'provider/address' });
    }
    expect(await read(['data: <html>\n\n'], { 'content-type': 'text/html' })).toBe('data: <html>\n\n');
  });

  it('removes the headers that describe the encoded bytes', () => {
    const headers = { 'content-encoding': 'gzip', 'content-length': '9', 'request-id': 'r' };
    const bounded = boundAnswer(SERVICE, new Response('{}', { headers }), LIMITS);
    expect([...bounded.headers.keys()].filter((name) => name !== 'content-type')).toEqual(['request-id']);
  });

  it('cancels its source when the reader cancels', async () => {
    let cancelled = false;
    const body = new ReadableStream({
      pull: (to) => to.enqueue(new Uint8Array([97])),
      cancel: () => void (cancelled = true),
    });
    await boundAnswer(SERVICE, new Response(body), LIMITS).body?.cancel();
    expect(cancelled).toBe(true);
  });
});
