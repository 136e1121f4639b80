// The name that was meant.

import { expect, test } from 'vitest';
import { nearestName } from './nearest-name.ts';

const NAMES = ['workspace', 'store', 'model', 'tools', 'run', 'ls'];

test.each([
  ['wrokspace', 'workspace'],
  ['Store', 'store'],
  ['stor', 'store'],
  ['toools', 'tools'],
  ['rnu', 'run'],
  ['sl', 'ls'],
])('is found behind the slip %j', (slip, meant) => {
  expect(nearestName(slip, NAMES)).toBe(meant);
});

test('is not looked for where a name is too long to be one', () => {
  expect(nearestName('w'.repeat(3_000_000), [...NAMES, 'w'.repeat(3_000_000)])).toBeUndefined();
});

test.each(['fix', 'banana', '', 'modellen'])('is not made up for %j', (word) => {
  expect(nearestName(word, NAMES)).toBeUndefined();
});
