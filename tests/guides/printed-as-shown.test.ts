// The comparison that the guides rely on can fail.

import { expect, test } from 'vitest';
import { firstMissing } from './printed-as-shown.ts';

const PRINTED = 'kept as a-1\nstep\tat\n0\t09:30\n1\t09:31\nwhole\n';

test('finds nothing missing where the output is as shown, however far its columns stand apart', () => {
  expect(firstMissing(['kept as a-1', 'step   at', '   0  09:30', '   1  09:31', 'whole'], PRINTED)).toBeUndefined();
});

test('lets an ellipsis stand for anything in its line, and alone for any lines', () => {
  expect(firstMissing(['kept as …', '…', '1  09:…1', 'whole'], PRINTED)).toBeUndefined();
  expect(firstMissing(['kept as a-1', '…'], PRINTED)).toBeUndefined();
});

test('names the first line that is not there', () => {
  expect(firstMissing(['kept as a-2', '…'], PRINTED)).toBe('kept as a-2');
  expect(firstMissing(['…', '2  09:32', '…'], PRINTED)).toBe('2 09:32');
  expect(firstMissing(['…', 'whole', 'kept as a-1'], PRINTED)).toBe('kept as a-1');
});

test('does not let an ellipsis stand for less than nothing', () => {
  expect(firstMissing(['whol…ole'], 'whole')).toBe('whol…ole');
});

test('names a line that the page does not show', () => {
  expect(firstMissing(['kept as a-1'], PRINTED)).toBe('(nothing more), but it printed: step at');
});
