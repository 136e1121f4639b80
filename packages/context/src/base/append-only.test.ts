import { expect, test } from 'vitest';
import { append, appendAll, appendOnly, itemAt, slice } from './append-only.ts';

test('the newest value grows its buffer in place, and an older one takes a copy', () => {
  const one = appendOnly(['a']);
  const two = append(one, 'b');
  const other = append(one, 'c');
  expect(two.buffer).toBe(one.buffer);
  expect(other.buffer).not.toBe(one.buffer);
  expect([slice(one), slice(two), slice(other)]).toEqual([['a'], ['a', 'b'], ['a', 'c']]);
});

test('takes more items than the stack holds arguments: a long session is opened at once', () => {
  const items = Array.from({ length: 200_000 }, (_, index) => index);
  const list = appendAll(appendOnly([-1]), items);
  expect([list.length, itemAt(list, -1)]).toEqual([200_001, 199_999]);
});

test('ends at its own length, whatever the buffer holds', () => {
  const one = appendOnly(['a']);
  append(one, 'b');
  expect([itemAt(one, 1), itemAt(one, -1), slice(one)]).toEqual([undefined, 'a', ['a']]);
});
