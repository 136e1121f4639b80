// Tests `nearestName` with misspelled names, with names that are too long, and with names that are similar to no other
// name.

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
])('`nearestName` returns the correct name for the misspelling %j', (slip, meant) => {
  expect(nearestName(slip, NAMES)).toBe(meant);
});

test('`nearestName` returns `undefined` for a name that is too long', () => {
  expect(nearestName('w'.repeat(3_000_000), [...NAMES, 'w'.repeat(3_000_000)])).toBeUndefined();
});

test.each(['fix', 'banana', '', 'modellen'])(
  '`nearestName` returns `undefined` for %j, which is not near any of the names',
  (word) => {
    expect(nearestName(word, NAMES)).toBeUndefined();
  },
);
