// Tests the choice of a price and the computation of costs. Sums are checked against integer arithmetic that shares no
// code with the implementation.

import type { Ttl, Usage } from '@tidemark/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Capabilities, Price } from './capabilities.ts';
import { defaultCatalog } from './default-catalog.ts';
import { findModel } from './find-model.ts';
import { costAtMost, costOf, multiplier, priceAt } from './prices.ts';

const catalog = defaultCatalog();
const TODAY = '2026-11-21';
const TTLS: readonly Ttl[] = ['5m', '1h', '30m', '12h'];

function row(model: string): Capabilities {
  const found = findModel(catalog, model);
  if (found === undefined) throw new Error(`no row for ${model}`);
  return found;
}

function price(model: string, day = TODAY, input = 0): Price {
  const found = priceAt(row(model), day, input);
  if (found === undefined) throw new Error(`no price for ${model} on ${day}`);
  return found;
}

describe('priceAt', () => {
  it('uses the price list that applies on the day', () => {
    expect(priceAt(row('claude-sonnet-5-5'), '2026-09-27', 1)).toBeUndefined();
    expect(price('claude-sonnet-5-5', '2026-09-28').read).toBe('0.2');
    expect(price('claude-sonnet-5-5', '2026-10-06').read).toBe('0.2');
    expect(price('claude-sonnet-5-5', '2026-10-07').read).toBe('0.1');
    expect(price('gemini-4-argon', '2026-11-30').input).toBe('2');
    expect(price('gemini-4-argon', '2026-12-01')).toEqual({ input: '4', output: '20', read: '0.2', writes: {} });
  });

  it('prices the whole request by its input length', () => {
    expect(price('claude-haiku-5-5', TODAY, 100_000).input).toBe('0.1');
    expect(price('claude-haiku-5-5', TODAY, 100_001)).toEqual({
      input: '0.5',
      output: '2.5',
      read: '0.05',
      writes: { '5m': '0.625', '1h': '1' },
    });
    expect(price('gpt-6.1-sol', TODAY, 272_000).output).toBe('10');
    expect(price('gpt-6.1-sol', TODAY, 272_001).output).toBe('15');
    expect(price('claude-opus-5-5', TODAY, 900_000)).toEqual(price('claude-opus-5-5', TODAY, 1));
  });

  it('returns undefined if the row has no price', () => {
    expect(priceAt({ ...row('claude-opus-5'), prices: [] }, TODAY, 1)).toBeUndefined();
  });
});

describe('costOf', () => {
  it('returns the same costs as a calculation by hand', () => {
    const usage: Usage = {
      fresh: 1_000,
      read: 114_000,
      writes: [
        { ttl: '5m', tokens: 2_000 },
        { ttl: '1h', tokens: 500 },
      ],
      answer: 700,
      reasoning: 300,
    };
    expect(costOf(price('claude-opus-4-6'), usage)).toEqual({
      fresh: '0.005',
      read: '0.057',
      writes: '0.0175',
      answer: '0.025',
      total: '0.1045',
    });
  });

  it('keeps the last digit that a floating-point number would lose', () => {
    const usage = { fresh: 3, read: 1, writes: [], answer: 0 };
    expect(costOf({ input: '0.1', output: '1', read: '0.003', writes: {} }, usage)?.total).toBe('0.000000303');
    const large = { fresh: Number.MAX_SAFE_INTEGER, read: 0, writes: [], answer: 0 };
    expect(costOf({ input: '0.123456789', output: '1', writes: {} }, large)?.total).toBe(
      String((9_007_199_254_740_991n * 123_456_789n) / 10n ** 15n) +
        `.${String((9_007_199_254_740_991n * 123_456_789n) % 10n ** 15n).padStart(15, '0')}`,
    );
  });

  const whole: Usage = { fresh: 1, read: 1, writes: [{ ttl: '5m', tokens: 1 }], answer: 1 };

  it.each(['fresh', 'read', 'writes', 'answer'] as const)('returns undefined when %s is unknown', (bucket) => {
    const { [bucket]: _, ...rest } = whole;
    expect(costOf(price('claude-opus-5'), whole)).toBeDefined();
    expect(costOf(price('claude-opus-5'), rest)).toBeUndefined();
  });

  it('returns undefined for tokens without a known price, but not for 0 such tokens', () => {
    const unsold = price('gemini-4-hydrogen');
    expect(costOf(unsold, { fresh: 1, read: 1, writes: [], answer: 1 })).toBeUndefined();
    expect(costOf(unsold, { fresh: 1, read: 0, writes: [{ ttl: '5m', tokens: 1 }], answer: 1 })).toBeUndefined();
    expect(costOf(unsold, { fresh: 1, read: 0, writes: [{ ttl: '5m', tokens: 0 }], answer: 1 })).toBeDefined();
  });

  const tokens = fc.nat({ max: 5_000_000 });
  // Prices with at most six decimals are calculated in another way than the others.
  const rest = fc.oneof(fc.nat({ max: 999_999 }), fc.nat({ max: 99_999_999 }));
  const money = fc.tuple(fc.nat({ max: 200 }), rest).map(([dollars, decimals]) => `${dollars}.${decimals}`);
  const anyPrice = fc.record({
    input: money,
    output: money,
    read: money,
    writes: fc.record({ '5m': money, '1h': money, '30m': money, '12h': money }),
  });
  const anyUsage = fc.record({
    fresh: tokens,
    read: tokens,
    writes: fc.array(fc.record({ ttl: fc.constantFrom(...TTLS), tokens }), { maxLength: 5 }),
    answer: tokens,
    reasoning: tokens,
  });

  it('returns parts that sum exactly to the total', () => {
    fc.assert(
      fc.property(anyPrice, anyUsage, (one, usage) => {
        const cost = costOf(one, usage);
        if (cost === undefined) throw new Error('the cost is unknown, although every bucket is known');
        expect(units(cost.fresh) + units(cost.read) + units(cost.writes) + units(cost.answer)).toBe(units(cost.total));
        const writes = usage.writes.reduce(
          (sum, { ttl, tokens: written }) => sum + units(one.writes[ttl], 8) * BigInt(written),
          0n,
        );
        const billed = units(one.input, 8) * BigInt(usage.fresh) + units(one.read, 8) * BigInt(usage.read) + writes;
        expect(units(cost.total)).toBe(billed + units(one.output, 8) * BigInt(usage.answer + usage.reasoning));
      }),
    );
  });

  it('bills each token in one bucket only, so the costs of single buckets sum to the total', () => {
    const nothing: Usage = { fresh: 0, read: 0, writes: [], answer: 0 };
    fc.assert(
      fc.property(anyPrice, anyUsage, (one, usage) => {
        const alone: Usage[] = [
          { ...nothing, fresh: usage.fresh },
          { ...nothing, read: usage.read },
          ...usage.writes.map((write) => ({ ...nothing, writes: [write] })),
          { ...nothing, answer: usage.answer },
          { ...nothing, reasoning: usage.reasoning },
        ];
        const sum = alone.reduce((all, part) => all + units(costOf(one, part)?.total), 0n);
        expect(sum).toBe(units(costOf(one, usage)?.total));
      }),
    );
  });
});

describe('multiplier', () => {
  it.each([
    ['claude-fable-5-2', '0.025', '1.25', '2'],
    ['claude-opus-5-5', '0.05', '1.25', '2'],
    ['claude-sonnet-5-5', '0.05', '1.25', '2'],
    ['claude-opus-4-6', '0.1', '1.25', '2'],
    ['claude-3-5-haiku', '0.1', '1.25', '2'],
  ])('returns the published values for %s: read %s, writes %s and %s', (model, read, short, long) => {
    const one = price(model);
    expect([multiplier(one, 'read'), multiplier(one, '5m'), multiplier(one, '1h')]).toEqual([read, short, long]);
  });

  it('rounds a quotient with infinitely many digits, and returns undefined for an unknown price or free input', () => {
    expect(multiplier(price('deepseek-v4-pro'), 'read')).toBe('0.0333333333333');
    expect(multiplier(price('gpt-5.1'), '30m')).toBeUndefined();
    expect(multiplier({ input: '0', output: '0', read: '0', writes: {} }, 'read')).toBeUndefined();
  });
});

/** Converts decimal text to an integer, in units of 10^-digits. Throws if the text has more digits. */
function units(text: string | undefined, digits = 14): bigint {
  if (text === undefined) throw new Error('the amount is unknown');
  const [whole = '', rest = ''] = text.split('.');
  if (rest.length > digits) throw new Error(`more than ${digits} decimal places: ${text}`);
  return BigInt(whole + rest.padEnd(digits, '0'));
}

describe('costAtMost', () => {
  const claude = price('claude-opus-5-5');
  const open = { fresh: 1_000, read: 50_000, answer: 200 };
  const total = (usage: Usage): string | undefined => costOf(claude, usage)?.total;

  it('prices writes of unknown lifetime at the most expensive lifetime that the request asked for', () => {
    const usage: Usage = { ...open, written: 10_000 };
    const long = total({ ...open, writes: [{ ttl: '1h', tokens: 10_000 }] });
    expect(costOf(claude, usage)).toBeUndefined();
    expect(costAtMost(claude, usage, ['1h', '5m'])).toBe(long);
    expect(costAtMost(claude, usage)).toBe(long);
    expect(costAtMost(claude, usage, ['5m'])).toBe(total({ ...open, writes: [{ ttl: '5m', tokens: 10_000 }] }));
  });

  it('prices an input without buckets as fresh if writes are free, and as written if writes cost more', () => {
    const free: Price = { input: '1', output: '2', writes: {} };
    expect(costAtMost(free, { input: 1_000_000, answer: 500_000 })).toBe('2');
    expect(costAtMost({ ...free, read: '0.1' }, { input: 1_000_000, read: 500_000, answer: 0 })).toBe('0.55');
    expect(costAtMost({ ...free, writes: { '5m': '1.25' } }, { input: 1_000_000, answer: 0 })).toBe('1.25');
  });

  it('returns undefined without an input total, an output count or the price of a lifetime', () => {
    expect(costAtMost(claude, open)).toBeUndefined();
    expect(costAtMost(claude, { input: 5 })).toBeUndefined();
    expect(costAtMost(claude, { ...open, written: 5 }, ['30m'])).toBeUndefined();
  });

  it('is never below the real cost, for every possible bucket of each token', () => {
    const count = fc.nat(1_000_000);
    const life = fc.constantFrom('5m' as const, '1h' as const);
    fc.assert(
      fc.property(count, count, count, life, (fresh, read, tokens, ttl) => {
        const cost = Number(total({ fresh, read, writes: [{ ttl, tokens }], answer: 7 }));
        const usages: readonly Usage[] = [
          { input: fresh + read + tokens, answer: 7 },
          { input: fresh + read + tokens, read, answer: 7 },
          { fresh, read, written: tokens, answer: 7 },
        ];
        for (const usage of usages) expect(Number(costAtMost(claude, usage))).toBeGreaterThanOrEqual(cost - 1e-12);
      }),
    );
  });
});
