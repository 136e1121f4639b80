import { expect, test } from 'vitest';
import { append, appendAll, appendOnly, itemAt, slice } from './append-only.ts';

test('`append` grows the buffer of the newest value in place, and copies the buffer for an older value', () => {
  const one = appendOnly(['a']);
  const two = append(one, 'b');
  const other = append(one, 'c');
  expect(two.buffer).toBe(one.buffer);
  expect(other.buffer).not.toBe(one.buffer);
  expect([slice(one), slice(two), slice(other)]).toEqual([['a'], ['a', 'b'], ['a', 'c']]);
});

test('`appendAll` takes more items than a call can have arguments, so a long session opens in one call', () => {
  const items = Array.from({ length: 200_000 }, (_, index) => index);
  const list = appendAll(appendOnly([-1]), items);
  expect([list.length, itemAt(list, -1)]).toEqual([200_001, 199_999]);
});

test('a list ends at its own length, even if its buffer contains more items', () => {
  const one = appendOnly(['a']);
  append(one, 'b');
  expect([itemAt(one, 1), itemAt(one, -1), slice(one)]).toEqual([undefined, 'a', ['a']]);
});
