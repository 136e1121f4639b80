import { expect, test } from 'vitest';
import { row, second } from '../../tests/log-of.ts';
import { cliffCost, cliffCrossed } from './gauge.ts';

/** Above 100,000 tokens all of a request costs five times as much. */
const HAIKU = row('claude-haiku-5-5');

const at = second(0);

test('a request beyond a cliff costs more by what its price is above the one below', () => {
  const usage = { fresh: 0, read: 100_000, writes: [{ ttl: '5m' as const, tokens: 10_000 }], answer: 0 };
  // Read: 0.05 - 0.01, written: 0.625 - 0.125, in dollars a million.
  expect(cliffCost({ capabilities: HAIKU, at, usage })).toEqual({ above: 100_000, cost: '0.009' });
});

test('a request of just that length is not beyond it, and neither is one of a model without cliffs', () => {
  const usage = { fresh: 100_000, read: 0, writes: [], answer: 0 };
  expect(cliffCost({ capabilities: HAIKU, at, usage })).toBeUndefined();
  expect(cliffCost({ capabilities: HAIKU, at, usage: { ...usage, fresh: 100_001 } })).toMatchObject({ above: 100_000 });
  expect(
    cliffCost({ capabilities: row('claude-sonnet-4-5'), at, usage: { ...usage, fresh: 500_000 } }),
  ).toBeUndefined();
});

test('it is crossed by the first request beyond it alone; an unknown length crosses nothing', () => {
  const usage = { fresh: 110_000, read: 0, writes: [], answer: 0 };
  const input = { capabilities: HAIKU, at, usage };
  expect([0, 100_000, 100_001].map((before) => cliffCrossed(input, before)?.above)).toEqual([
    100_000,
    100_000,
    undefined,
  ]);
  expect(cliffCrossed({ ...input, usage: { read: 110_000 } }, 0)).toBeUndefined();
});
