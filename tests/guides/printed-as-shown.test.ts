// Tests of the comparison that the tests of the guides use. It must report differences. Otherwise these tests could
// never fail.

import { expect, test } from 'vitest';
import { firstMissing } from './printed-as-shown.ts';

const PRINTED = 'kept as a-1\nstep\tat\n0\t09:30\n1\t09:31\nwhole\n';

test('`firstMissing` returns undefined if the output is as shown, and ignores the width of the space between columns', () => {
  expect(firstMissing(['kept as a-1', 'step   at', '   0  09:30', '   1  09:31', 'whole'], PRINTED)).toBeUndefined();
});

test('`firstMissing` accepts any text for an ellipsis within a line, and any lines for an ellipsis alone', () => {
  expect(firstMissing(['kept as …', '…', '1  09:…1', 'whole'], PRINTED)).toBeUndefined();
  expect(firstMissing(['kept as a-1', '…'], PRINTED)).toBeUndefined();
});

test('`firstMissing` returns the first shown line that was not printed', () => {
  expect(firstMissing(['kept as a-2', '…'], PRINTED)).toBe('kept as a-2');
  expect(firstMissing(['…', '2  09:32', '…'], PRINTED)).toBe('2 09:32');
  expect(firstMissing(['…', 'whole', 'kept as a-1'], PRINTED)).toBe('kept as a-1');
});

test('`firstMissing` does not let the text before and after an ellipsis overlap', () => {
  expect(firstMissing(['whol…ole'], 'whole')).toBe('whol…ole');
});

test('`firstMissing` reports a printed line that the page does not show', () => {
  expect(firstMissing(['kept as a-1'], PRINTED)).toBe('(nothing more), but it printed: step at');
});
