import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { budgetsOf } from './gauge.ts';

describe('the budgets of a window', () => {
  test.each([
    [922_000, { reserve: 16_384, hard: 783_700, soft: 737_600, tail: 20_000 }],
    [200_000, { reserve: 16_384, hard: 170_000, soft: 160_000, tail: 20_000 }],
    [136_000, { reserve: 16_384, hard: 119_616, soft: 112_816, tail: 20_000 }],
    [100_000, { reserve: 16_384, hard: 83_616, soft: 78_616, tail: 20_000 }],
    [8_000, { reserve: 4_000, hard: 4_000, soft: 2_800, tail: 2_000 }],
    [300, { reserve: 256, hard: 44, soft: 30, tail: 22 }],
  ])('of %d tokens have the expected values', (limit, budgets) => expect(budgetsOf(limit)).toEqual(budgets));

  test('are the settings, and values derived from them', () => {
    expect(budgetsOf(200_000, { hard: 100_000, tail: 5_000 })).toEqual({
      reserve: 16_384,
      hard: 100_000,
      soft: 90_000,
      tail: 5_000,
    });
  });

  test('are in order and within the limit for any settings', () => {
    const tokens = fc.nat({ max: 2_000_000 });
    const settings = fc.record({ reserve: tokens, hard: tokens, soft: tokens, tail: tokens }, { requiredKeys: [] });
    fc.assert(
      fc.property(tokens, settings, (limit, set) => {
        const { reserve, hard, soft, tail } = budgetsOf(limit, set);
        expect([soft, hard, limit].toSorted((a, b) => a - b)).toEqual([soft, hard, limit]);
        for (const one of [reserve, hard, soft, tail]) expect(one >= 0 && one <= limit).toBe(true);
      }),
    );
  });
});
