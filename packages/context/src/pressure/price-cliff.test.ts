import { expect, test } from 'vitest';
import { row, second } from '../../tests/log-of.ts';
import { cliffCost, cliffCrossed } from './gauge.ts';

/** Model whose price is five times higher for requests above 100,000 tokens. */
const HAIKU = row('claude-haiku-5-5');

const at = second(0);

test('a request above a cliff costs the difference between the prices above and below it', () => {
  const usage = { fresh: 0, read: 100_000, writes: [{ ttl: '5m' as const, tokens: 10_000 }], answer: 0 };
  // Price differences: 0.05 - 0.01 for reading and 0.625 - 0.125 for writing, in dollars per million tokens.
  expect(cliffCost({ capabilities: HAIKU, at, usage })).toEqual({ above: 100_000, cost: '0.009' });
});

test('a request of exactly 100,000 tokens is not above that cliff, and no request is above a cliff if the model has none', () => {
  const usage = { fresh: 100_000, read: 0, writes: [], answer: 0 };
  expect(cliffCost({ capabilities: HAIKU, at, usage })).toBeUndefined();
  expect(cliffCost({ capabilities: HAIKU, at, usage: { ...usage, fresh: 100_001 } })).toMatchObject({ above: 100_000 });
  expect(
    cliffCost({ capabilities: row('claude-sonnet-4-5'), at, usage: { ...usage, fresh: 500_000 } }),
  ).toBeUndefined();
});

test('only the first request above a cliff crosses it, and a request of unknown length crosses none', () => {
  const usage = { fresh: 110_000, read: 0, writes: [], answer: 0 };
  const input = { capabilities: HAIKU, at, usage };
  expect([0, 100_000, 100_001].map((before) => cliffCrossed(input, before)?.above)).toEqual([
    100_000,
    100_000,
    undefined,
  ]);
  expect(cliffCrossed({ ...input, usage: { read: 110_000 } }, 0)).toBeUndefined();
});
