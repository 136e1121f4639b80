// The learnt ratio: what it converges to, and that it tells how far off it was.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { applyRatio, guessRatio, learnRatio, learntFor, NOTHING_LEARNT, type Ratio } from './ratio.ts';

type Pair = readonly [estimated: number, actual: number];

function taught(from: Ratio, pairs: readonly Pair[]): Ratio {
  return pairs.reduce((ratio, [estimated, actual]) => learnRatio(ratio, estimated, actual), from);
}

function repeated(count: number, pair: Pair): readonly Pair[] {
  return Array.from({ length: count }, () => pair);
}

describe('the ratio', () => {
  it('applies its guess and claims no error before the first comparison', () => {
    expect(applyRatio(guessRatio(), 1_000)).toEqual({ tokens: 1_000 });
    expect(applyRatio(guessRatio(1.5), 1_000)).toEqual({ tokens: 1_500 });
  });

  it('comes to what the provider counts', () => {
    const ratio = taught(guessRatio(), repeated(50, [800, 1_000]));
    expect(applyRatio(ratio, 8_000).tokens).toBeCloseTo(10_000, -1.5);
    expect(applyRatio(ratio, 8_000).error).toBeLessThan(0.03);
  });

  it('tells how far off the estimates were when they were made', () => {
    const ratio = learnRatio(guessRatio(), 1_000, 1_250);
    expect(applyRatio(ratio, 100).error).toBe(0.2);
    expect(applyRatio(taught(ratio, repeated(60, [1_000, 1_250])), 100).error).toBeLessThan(0.02);
  });

  it('keeps an error that does not go away', () => {
    const swings = Array.from({ length: 60 }, (_, index) => [1_000, index % 2 === 0 ? 800 : 1_200] as const);
    expect(applyRatio(taught(guessRatio(), swings), 100).error).toBeCloseTo(0.2, 1);
  });

  it('is not thrown by a tiny text', () => {
    expect(applyRatio(learnRatio(guessRatio(), 1, 9), 1_000).tokens).toBeLessThan(1_030);
  });

  it('follows a change of what is sent', () => {
    const before = taught(guessRatio(), repeated(100, [1_000, 1_000]));
    const after = taught(before, repeated(60, [1_000, 2_000]));
    expect(applyRatio(after, 1_000).tokens).toBeGreaterThan(1_900);
  });

  it.each([
    [0, 10],
    [10, 0],
    [-1, 10],
    [Number.NaN, 10],
    [10, Number.NaN],
  ])('learns nothing from %d against %d', (estimated, actual) => {
    const ratio = guessRatio(1.2);
    expect(learnRatio(ratio, estimated, actual)).toBe(ratio);
  });

  const count = fc.integer({ min: 1, max: 1_000_000 });

  it('stays between the smallest and the largest ratio it was shown, the guess included', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(count, count), { minLength: 1, maxLength: 30 }), (pairs) => {
        const factors = [1, ...pairs.map(([estimated, actual]) => actual / estimated)];
        const { tokens, error } = applyRatio(taught(guessRatio(), pairs), 1_000_000);
        expect(tokens / 1_000_000).toBeGreaterThanOrEqual(Math.min(...factors) * 0.999_999);
        expect(tokens / 1_000_000).toBeLessThanOrEqual(Math.max(...factors) * 1.000_001 + 0.000_001);
        expect(error).toBeGreaterThanOrEqual(0);
      }),
    );
  });

  it('is plain data: written and read, it goes on as before', () => {
    const ratio = taught(guessRatio(), [[700, 912]]);
    expect(learnRatio(JSON.parse(JSON.stringify(ratio)), 300, 400)).toEqual(learnRatio(ratio, 300, 400));
  });
});

it('nothing is known of a model that is called like what every object has', () => {
  expect(['constructor', 'toString'].map((model) => learntFor({}, model))).toEqual([NOTHING_LEARNT, NOTHING_LEARNT]);
});
