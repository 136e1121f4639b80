import { expect, test, vi } from 'vitest';

import { formatNumber } from './numbers.ts';

test('`formatNumber` separates thousands and rounds', () => {
  expect([0, 999, 12_480, 1_234_567.5, -1_000].map(formatNumber)).toEqual([
    '0',
    '999',
    '12,480',
    '1,234,568',
    '-1,000',
  ]);
});

test('`formatNumber` reuses one formatter for all numbers', () => {
  const made = vi.spyOn(Intl, 'NumberFormat');
  const each = vi.spyOn(Number.prototype, 'toLocaleString');
  for (let value = 0; value < 1_000; value += 1) formatNumber(value);
  expect([made.mock.calls.length, each.mock.calls.length]).toEqual([0, 0]);
  vi.restoreAllMocks();
});
