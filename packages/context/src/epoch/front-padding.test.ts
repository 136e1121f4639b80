import { timestamp } from '@tidemark/log';
import type { Capabilities } from '@tidemark/model';
import { defaultCatalog, findModel } from '@tidemark/model';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { PaddingInput } from './choose-front.ts';
import { decidePadding, isPadded } from './choose-front.ts';

function row(model: string, change: Partial<Capabilities> = {}): Capabilities {
  const found = findModel(defaultCatalog(), model, 'anthropic');
  if (found === undefined) throw new Error(`the catalog has no ${model}`);
  return { ...found, ...change };
}

const HAIKU = row('claude-haiku-4-5');

function decide(change: Partial<PaddingInput> = {}): ReturnType<typeof decidePadding> {
  return decidePadding({
    setting: 'auto',
    capabilities: HAIKU,
    at: timestamp('2026-11-20T12:00:00.000Z'),
    ttl: '5m',
    natural: 3_600,
    padded: 4_600,
    tail: 100,
    tools: false,
    others: 0,
    ...change,
  });
}

test('`decidePadding` pads a front just below the floor if several calls are expected below the floor', () => {
  expect(decide()).toMatchObject({ why: 'pays', natural: 3_600, padded: 4_600, floor: 4_096, calls: 1.9 });
  expect(decide().gain).toBeGreaterThan(0);
});

test('`decidePadding` does not pad a front far below the floor, or a request that reaches the floor by itself', () => {
  expect(decide({ natural: 1_900, tools: true })).toMatchObject({ why: 'costs', calls: 1.8 });
  expect(decide({ tail: 600 })).toMatchObject({ why: 'costs', calls: 0 });
  expect(decide({ tail: 600 }).gain).toBeLessThan(0);
});

test('the gain equals a calculation by hand for sessions without tools', () => {
  // At the base input price of 1, a write costs 1.25 and a read 0.1. The sessions have 1, 2, 3, 3, 3, 4, 4, 6, 9 and 19
  // calls, of which at most two are below the floor.
  const lengths = [1, 2, 3, 3, 3, 4, 4, 6, 9, 19];
  const [natural, padded, tail, growth] = [3_600, 4_600, 100, 350];
  const sums = lengths.map((length) => {
    const totals = Array.from({ length }, (_, call) => natural + tail + call * growth);
    const below = totals.filter((total) => total < 4_096);
    const added = padded - natural;
    const later = 1.25 * added + 0.1 * added * (length - 1);
    if (length > below.length) return 0.9 * below.reduce((sum, total) => sum + total, 0) - later;
    const [last = 0] = below.slice(-1);
    return 0.9 * below.slice(0, -1).reduce((sum, total) => sum + total, 0) - 0.25 * last - later;
  });
  expect(decide().gain).toBe(Math.round(sums.reduce((sum, one) => sum + one, 0) / lengths.length));
});

test('`decidePadding` uses the prices of the row, so the gain is higher if a read costs less', () => {
  const cheap = row('claude-opus-5-5', { floor: 4_096 });
  expect(decide({ capabilities: cheap }).gain ?? 0).toBeGreaterThan(decide().gain ?? 0);
  expect(decide({ ttl: '1h' }).gain ?? 0).toBeLessThan(decide().gain ?? 0);
});

test('`decidePadding` counts the gain of other sessions with the same front', () => {
  const far = { natural: 1_900, tools: true } as const;
  expect(decide(far).why).toBe('costs');
  expect(decide({ ...far, others: 20 })).toMatchObject({ why: 'pays', others: 20 });
});

describe('the reason of `decidePadding`', () => {
  test.each<readonly [string, Partial<PaddingInput>]>([
    ['never', { setting: 'never' }],
    ['always', { setting: 'always', natural: 200 }],
    ['above-floor', { natural: 4_096 }],
    ['above-floor', { setting: 'always', natural: 4_096 }],
    ['no-fit', { padded: undefined }],
    ['no-fit', { setting: 'always', padded: undefined }],
    ['implicit', { capabilities: { ...HAIKU, markers: 'implicit' } }],
    ['uncached', { capabilities: { ...HAIKU, markers: 'unknown' } }],
    ['pays', { capabilities: { ...HAIKU, markers: 'pass-through' } }],
    ['unknown-price', { capabilities: { ...HAIKU, prices: [] } }],
  ])('is %s', (why, change) => {
    expect(decide(change).why).toBe(why);
  });

  test('is unknown-floor without a floor, and the record omits the unknown values', () => {
    const { floor: _, ...unknown } = HAIKU;
    expect(decide({ capabilities: unknown })).toEqual({
      setting: 'auto',
      natural: 3_600,
      padded: 4_600,
      why: 'unknown-floor',
    });
    expect(decide({ capabilities: unknown, setting: 'always' }).why).toBe('always');
  });
});

test('with `auto`, only a front below the floor is padded, and only if the calculation shows a gain', () => {
  fc.assert(
    fc.property(fc.nat(6_000), fc.nat(3_000), fc.boolean(), fc.nat(5), (natural, tail, tools, others) => {
      const record = decide({ natural, padded: Math.max(natural, 4_600), tail, tools, others });
      expect(isPadded(record)).toBe(natural < 4_096 && (record.gain ?? 0) > 0);
    }),
  );
});
