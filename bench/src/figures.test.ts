import { expect, test } from 'vitest';

import { largest, median, sum } from './figures.ts';
import { madeText, randomNumbers } from './made-text.ts';

test('`median` returns the middle value by size, and the lower one of the two middle values of an even count', () => {
  expect([median([10, 9, 100]), median([4, 1, 3, 2])]).toEqual([10, 2]);
  expect(() => median([])).toThrow(RangeError);
});

test('`sum` and `largest` use all values', () => {
  expect([sum([1, 2, 3]), largest([1, 3, 2])]).toEqual([6, 3]);
});

test('`madeText` returns about as many bytes as requested, and its text depends only on its arguments', () => {
  const text = madeText(3_000, 7);
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(3_000);
  expect(Buffer.byteLength(text)).toBeGreaterThan(2_990);
  expect(madeText(3_000, 7)).toBe(text);
  expect(madeText(3_000, 8)).not.toBe(text);
});

test('`randomNumbers` returns the same numbers for the same seed', () => {
  const [a, b, c] = [randomNumbers(1), randomNumbers(1), randomNumbers(2)];
  const drawn = [a(), a()];
  expect([b(), b()]).toEqual(drawn);
  expect([c(), c()]).not.toEqual(drawn);
  expect(drawn.every((one) => one >= 0 && one < 1)).toBe(true);
});
