import { expect, test } from 'vitest';

import type { Edit } from './edits-of.ts';
import { unpaidOf } from './edits-of.ts';

const pruned = (call: number, breakEven: number): Edit => ({ by: 'pruning', call, breakEven });

test('a pruning has paid for itself after as many calls as its `breakEven`', () => {
  expect(unpaidOf([pruned(6, 4)], 10)).toEqual([]);
  expect(unpaidOf([pruned(7, 4)], 10)).toHaveLength(1);
});

test('a compaction ends the savings of a pruning, unless both share an epoch', () => {
  const compacted: Edit = { by: 'compaction', call: 8 };
  expect(unpaidOf([pruned(6, 4), compacted], 20)).toHaveLength(1);
  expect(unpaidOf([pruned(8, 4), compacted], 20)).toEqual([]);
});
