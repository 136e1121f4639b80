import type { Usage } from '@tidemark/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { allWritten, cachedTokens, completeUsage, inputTokens } from './prices.ts';

const FACTS = { lives: [], billsWrites: true, caches: true } as const;

describe('a total that the provider reports (L7)', () => {
  it('is the input if a bucket is unknown, and never replaces known buckets', () => {
    expect(inputTokens({ input: 900 })).toBe(900);
    expect(inputTokens({ input: 900, read: 400 })).toBe(900);
    expect(inputTokens({ fresh: 1, read: 2, writes: [{ ttl: '5m', tokens: 3 }] })).toBe(6);
    expect(inputTokens({ fresh: 1, read: 2 })).toBeUndefined();
    expect(inputTokens({})).toBeUndefined();
  });

  it('of written tokens is added to the input and to the cached tokens, even if the lifetime is unknown', () => {
    const usage: Usage = { fresh: 3, read: 100, written: 40 };
    expect([inputTokens(usage), cachedTokens(usage), allWritten(usage)]).toEqual([143, 140, 40]);
    expect(cachedTokens({ input: 900, read: 400 })).toBeUndefined();
  });
});

describe('completeUsage', () => {
  const gateway: Usage = { fresh: 3, read: 100, written: 40, answer: 5 };

  it('gives the written tokens the lifetime that all markers asked for', () => {
    expect(completeUsage(gateway, { ...FACTS, lives: ['1h', '1h'] })).toEqual({
      fresh: 3,
      read: 100,
      writes: [{ ttl: '1h', tokens: 40 }],
      answer: 5,
    });
  });

  it('leaves the lifetime unknown if the markers have two lifetimes, and if there are no markers', () => {
    expect(completeUsage(gateway, { ...FACTS, lives: ['1h', '5m'] })).toBe(gateway);
    expect(completeUsage(gateway, FACTS)).toBe(gateway);
  });

  it('derives the fresh tokens if the model does not bill writes', () => {
    const usage: Usage = { input: 900, read: 400, answer: 5 };
    expect(completeUsage(usage, { ...FACTS, billsWrites: false })).toEqual({
      fresh: 500,
      read: 400,
      writes: [],
      answer: 5,
    });
    expect(completeUsage(usage, FACTS)).toBe(usage);
    expect(completeUsage({ input: 900 }, { ...FACTS, billsWrites: false })).toEqual({ input: 900 });
    expect(completeUsage({ input: 900 }, { ...FACTS, billsWrites: false, caches: false })).toEqual({
      fresh: 900,
      read: 0,
      writes: [],
    });
  });

  it('never changes a total', () => {
    const count = fc.option(fc.nat(1_000), { nil: undefined });
    const lives = fc.array(fc.constantFrom('5m' as const, '1h' as const), { maxLength: 3 });
    const facts = fc.record({ lives, billsWrites: fc.boolean(), caches: fc.boolean() });
    fc.assert(
      fc.property(count, count, count, facts, (input, read, written, about) => {
        const usage: Usage = {
          ...(input !== undefined && { input: input + (read ?? 0) }),
          ...(read !== undefined && { read }),
          ...(written !== undefined && { written }),
        };
        const whole = completeUsage(usage, about);
        if (written === undefined) expect(inputTokens(whole)).toBe(inputTokens(usage));
        expect(allWritten(whole) ?? 0).toBe(written ?? 0);
      }),
    );
  });
});
