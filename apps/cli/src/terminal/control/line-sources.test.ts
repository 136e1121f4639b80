// Tests the sources of the viewer's lines.

import { expect, test } from 'vitest';

import { rowsOf } from '../drawing/rows.ts';
import { bytesSource } from './line-sources.ts';

const LINES = Array.from({ length: 5_000 }, (_, index) => `line ${index} ä${index % 700 === 0 ? ' wanted' : ''}`);

/** Returns the bytes of a text in chunks of this size, and counts the bytes that were read. */
function textBytes(text: string, size: number): { readonly read: () => AsyncIterable<Uint8Array>; taken: number } {
  const bytes = Buffer.from(text);
  const source = {
    taken: 0,
    async *read() {
      for (let at = 0; at < bytes.length; at += size) {
        source.taken += Math.min(size, bytes.length - at);
        yield bytes.subarray(at, at + size);
      }
    },
  };
  return source;
}

test.each([
  ['in memory', 10_000_000],
  ['read again', 1_000],
])('a text that is %s has all its lines', async (_, inMemory) => {
  const source = await bytesSource(textBytes(`${LINES.join('\n')}\n`, 777).read, inMemory);
  expect(source.length).toBe(5_000);
  expect(await source.read(0, 3)).toEqual(LINES.slice(0, 3));
  expect(await source.read(2_998, 3_003)).toEqual(LINES.slice(2_998, 3_003));
  expect(await source.read(4_998, 6_000)).toEqual(LINES.slice(4_998));
  expect(await source.read(5_000, 6_000)).toEqual([]);
  const wanted = (line: string): boolean => line.includes('wanted');
  expect(await source.find(wanted, 701, false)).toBe(1_400);
  expect(await source.find(wanted, 1_400, true)).toBe(700);
  expect(await source.find(wanted, 4_901, false)).toBeUndefined();
  expect(await source.find(wanted, 0, true)).toBeUndefined();
});

test('a large text is read only up to the last shown line', async () => {
  const text = LINES.join('\n');
  const bytes = textBytes(text, 500);
  const source = await bytesSource(bytes.read, 1_000);
  bytes.taken = 0;
  await source.read(10, 20);
  expect(bytes.taken).toBeLessThan(2_000);
});

test('a line without an end is shown as several lines, and no character is cut', async () => {
  const text = '日本語'.repeat(20_000);
  const source = await bytesSource(textBytes(text, 4_000).read, 1_000);
  const lines = await source.read(0, source.length);
  expect(source.length).toBeGreaterThan(40);
  expect(lines).toEqual(lines.filter((line) => typeof line === 'string' && !line.includes('\ufffd')));
  expect(rowsOf(lines, 10_000, false).join('')).toBe(text);
});
