// Tests lists that only grow.

import { expect, test } from 'vitest';

import { growingList } from './growing-list.ts';

test('an append leaves the old list unchanged', () => {
  const one = growingList(['a']);
  const two = one.append(['b', 'c']);
  expect([one.length, one.from(0), one.at(1), one.at(-1)]).toEqual([1, ['a'], undefined, 'a']);
  expect([two.length, two.from(1), two.at(-1), two.at(-4)]).toEqual([3, ['b', 'c'], 'c', undefined]);
  expect(two.from(0, 2)).toEqual(['a', 'b']);
});

test('two lists that continue the same list do not see the entries of each other', () => {
  const common = growingList([1]);
  const left = common.append([2]);
  const right = common.append([3]);
  expect([left.from(0), right.from(0), left.append([4]).from(0)]).toEqual([
    [1, 2],
    [1, 3],
    [1, 2, 4],
  ]);
});

test('100,000 appends need work in proportion to their number', () => {
  let copied = 0;
  let list = growingList<number>();
  for (let index = 0; index < 100_000; index += 1) {
    list = list.append([index]);
    copied += list.from(list.length - 1).length;
  }
  expect([list.length, copied, list.at(99_999)]).toEqual([100_000, 100_000, 99_999]);
});
