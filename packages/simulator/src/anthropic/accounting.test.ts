// Tests for the lookback positions of the blocks of a prefix.

import { expect, test } from 'vitest';
import { positionsOf } from './accounting.ts';
import type { PrefixBlock } from './prefix.ts';

function prefix(types: readonly string[]): readonly PrefixBlock[] {
  return types.map((type, index) => ({
    block: { index, level: 'messages', role: 'user', message: 0, content: index, type, fields: {}, marker: undefined },
    hash: String(index),
    tokens: index,
  }));
}

const calls = [
  'text',
  'tool_use',
  'tool_use',
  'tool_result',
  'tool_result',
  'tool_use',
  'thinking',
  'tool_use',
  'text',
  'text',
];

test.each([
  ['a run of calls counts as one position, and so does a run of results', true, [0, 1, 1, 2, 2, 3, 4, 5, 6, 7]],
  ['every block counts as one position if runs do not collapse', false, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]],
])('%s (provider-facts §0.3)', (_, collapse, positions) => {
  expect(positionsOf(prefix(calls), collapse)).toEqual(positions);
});
