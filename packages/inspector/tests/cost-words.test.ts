// Tests the words of costs: the comparison, and everything that is in no sum because it is unknown.

import { expect, test } from 'vitest';
import type { CostSums } from '../page/cost-words.ts';
import { comparisonText, paidText, unknownCosts } from '../page/cost-words.ts';
import { billionths, dollars, duration, percent } from '../page/format.ts';

function sums(changes: Partial<CostSums> = {}): CostSums {
  return {
    calls: 10,
    unanswered: 0,
    tokens: { fresh: 0, read: 0, written: 0, untold: 0, answer: 0, reasoning: 0 },
    paid: { cost: '2', unpriced: 0 },
    bounded: { calls: 0, cost: '0' },
    estimated: { calls: 0, tokens: 0, cost: '0' },
    compared: { calls: 10, unpriced: 0, paid: '2', uncached: '8', ideal: '1' },
    lost: { cost: '0', unpriced: 0, calls: 0, tokens: 0 },
    dearer: { cost: '0', unpriced: 0, calls: 0 },
    charged: { cost: '0', unpriced: 0, requests: 0 },
    ...changes,
  };
}

test('the comparison names the calls that can be compared and both shares', () => {
  expect(comparisonText(sums())).toBe(
    'The 10 calls that can be compared cost $2.00, 2.00 times the cost with an ideal cache and 0.25 times the cost without a cache.',
  );
});

test('a comparison without any known call says so', () => {
  const compared = { calls: 0, unpriced: 10, paid: null, uncached: null, ideal: null };
  expect(comparisonText(sums({ compared }))).toContain('cannot be compared');
});

test('known costs have no remark', () => {
  expect(unknownCosts(sums())).toEqual([]);
});

test('each unknown part has a sentence', () => {
  const found = unknownCosts(
    sums({
      unanswered: 1,
      paid: { cost: '2', unpriced: 3 },
      bounded: { calls: 2, cost: '0.5' },
      estimated: { calls: 1, tokens: 1_200, cost: '0.25' },
      compared: { calls: 5, unpriced: 5, paid: '2', uncached: '8', ideal: '1' },
      lost: { cost: '0.1', unpriced: 1, calls: 2, tokens: 50 },
      dearer: { cost: '0.75', unpriced: 0, calls: 1 },
      charged: { cost: '0.03', unpriced: 1, requests: 4 },
    }),
  );
  expect(found).toEqual([
    'The cost of 3 calls of 10 is unknown. It is in no sum.',
    'Of these, 2 calls cost at most $0.5000 together.',
    'The provider counted no tokens of 1 call: an estimated 1,200 tokens, at most $0.2500.',
    'The output of 1 call of 10 is unknown.',
    '2 more calls cannot be compared, because their tokens are only partly known.',
    'The price of the tokens that 1 call paid again is unknown.',
    '1 call was so long that the whole request cost more: $0.7500 in addition.',
    'Services outside of the sessions billed 4 requests with $0.0300, without 1 of unknown price. This is not in the paid cost.',
  ]);
});

test('a paid cost with calls of unknown cost has a plus, and without any known cost it is unknown', () => {
  expect(paidText(sums())).toBe('$2.00');
  expect(paidText(sums({ paid: { cost: '2', unpriced: 1 } }))).toBe('$2.00 +');
  expect(paidText(sums({ paid: { cost: null, unpriced: 10 } }))).toBe('unknown');
});

test('amounts keep two digits below a cent, and unknown values have words', () => {
  expect(['0', '0.0000012345', '0.0099', '0.01', '0.5', '1234.567', '-0.002'].map(dollars)).toEqual([
    '$0',
    '$0.0000012',
    '$0.0099',
    '$0.0100',
    '$0.5000',
    '$1,234.57',
    '-$0.0020',
  ]);
  expect([dollars(null), billionths(null), percent(null)]).toEqual(['unknown', 'unknown', 'none']);
});

test('durations have at most two units', () => {
  expect([0, 1_500, 59_990, 390_000, 3_600_000, 90_061_000].map(duration)).toEqual([
    '0.0 s',
    '1.5 s',
    '1 min',
    '6 min 30 s',
    '1 h',
    '1 d 1 h',
  ]);
});
