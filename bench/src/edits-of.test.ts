import { expect, test } from 'vitest';

import type { Edit } from './edits-of.ts';
import { unpaidOf } from './edits-of.ts';

const pruned = (call: number, breakEven: number): Edit => ({ by: 'pruning', call, breakEven });

test('a pruning has paid for itself when as many calls were made behind it as it asks for', () => {
  expect(unpaidOf([pruned(6, 4)], 10)).toEqual([]);
  expect(unpaidOf([pruned(7, 4)], 10)).toHaveLength(1);
});

test('a compaction ends what a pruning saves; one that shares its epoch is no end', () => {
  const compacted: Edit = { by: 'compaction', call: 8 };
  expect(unpaidOf([pruned(6, 4), compacted], 20)).toHaveLength(1);
  expect(unpaidOf([pruned(8, 4), compacted], 20)).toEqual([]);
});
