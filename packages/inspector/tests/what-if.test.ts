// Tests the words of the costs in other cases.

import { expect, test } from 'vitest';
import { assumptions, caseText, differenceText } from '../page/what-if-words.ts';

test('`caseText` names the case and the step at which it ends', () => {
  expect(caseText({ change: 'lifetime', name: '1h' })).toBe('Entries live 1 hour');
  expect(caseText({ change: 'model', name: 'claude-haiku-4-5' })).toBe('claude-haiku-4-5');
  expect(caseText({ change: 'compaction', name: '', stopsAt: 12 })).toBe(
    'No compaction. It is not possible from step 12 on: the request is too long, or has no price',
  );
});

test('`differenceText` has a sign, and an unknown difference is not 0', () => {
  expect(differenceText({ calls: 3, cost: '1.25', compared: '1' })).toBe('+25.0%');
  expect(differenceText({ calls: 3, cost: '0.5', compared: '1' })).toBe('-50.0%');
  expect(differenceText({ calls: 3, cost: '1', compared: '1' })).toBe('none');
  expect(differenceText({ calls: 0, cost: '0', compared: '0' })).toBe('unknown');
});

test('`assumptions` names the calls that are in no sum', () => {
  const always = assumptions({ unknown: 0, others: 0 });
  expect(assumptions({ unknown: 1, others: 2 }).slice(always.length)).toEqual([
    'The tokens or the price of 1 call is unknown. They are in no sum.',
    '2 calls of side streams, such as titles and summaries, are not replayed.',
  ]);
});
