import { PassThrough } from 'node:stream';

import { expect, test } from 'vitest';

import type { PipedReading } from './piped-input.ts';
import { readAlong, readAtMost } from './piped-input.ts';

const NEVER = new AbortController().signal;

interface Told {
  readonly reading: PipedReading;
  readonly notes: readonly string[];
  /** Ends the waiting time. After this time, `readAlong` shows a note. */
  readonly pass: () => void;
}

function read(stream: PassThrough, ends: boolean): Told {
  const notes: string[] = [];
  const { promise, resolve } = Promise.withResolvers<undefined>();
  const reading = { stream, ends, note: (text: string) => void notes.push(text), wait: () => promise };
  return { reading, notes, pass: () => resolve(undefined) };
}

test('`readAlong` reads piped input to its end', async () => {
  const stream = new PassThrough();
  const { reading, notes } = read(stream, true);
  const bytes = readAlong(reading, 1_000, NEVER);
  stream.write('one ');
  stream.end('two');
  expect(Buffer.from(await bytes).toString()).toBe('one two');
  expect(notes).toEqual([]);
});

test('`readAlong` waits for a slow pipe, and prints a note', async () => {
  const stream = new PassThrough();
  const { reading, notes, pass } = read(stream, true);
  const bytes = readAlong(reading, 1_000, NEVER);
  pass();
  await new Promise((resolve) => setImmediate(resolve));
  stream.end('late');
  expect(Buffer.from(await bytes).toString()).toBe('late');
  expect(notes).toEqual([expect.stringContaining('waiting for the end of the piped input')]);
});

test('`readAlong` continues without an open socket that sends nothing, and prints a note', async () => {
  const { reading, notes, pass } = read(new PassThrough(), false);
  const bytes = readAlong(reading, 1_000, NEVER);
  pass();
  expect((await bytes).length).toBe(0);
  expect(notes).toEqual([expect.stringContaining('continuing without it')]);
});

test('`readAlong` reads a socket to its end after the first data', async () => {
  const stream = new PassThrough();
  const { reading, notes, pass } = read(stream, false);
  const bytes = readAlong(reading, 1_000, NEVER);
  stream.write('first ');
  await new Promise((resolve) => setImmediate(resolve));
  pass();
  await new Promise((resolve) => setImmediate(resolve));
  stream.end('last');
  expect(Buffer.from(await bytes).toString()).toBe('first last');
  expect(notes).toEqual([]);
});

test('`readAtMost` stops an endless stream after the maximum number of bytes', async () => {
  const stream = new PassThrough();
  stream.write(Buffer.alloc(600));
  stream.write(Buffer.alloc(600));
  expect((await readAtMost(stream, 1_000)).length).toBe(1_200);
});

test('`readAlong` ends at Ctrl-C', async () => {
  const controller = new AbortController();
  const bytes = readAlong(read(new PassThrough(), true).reading, 1_000, controller.signal);
  controller.abort();
  await expect(bytes).rejects.toThrow('interrupted');
});
