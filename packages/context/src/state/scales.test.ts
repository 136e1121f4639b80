import type { SizeForecast } from '@tidemark/log';
import { expect, test, describe, it } from 'vitest';
import type { CountedRequest, Scales } from './scales.ts';
import {
  learnScales,
  scaleOfFront,
  scaleOfSpan,
  scaleOfText,
  withSpanScale,
  applyRatio,
  guessRatio,
  learnRatio,
  learntFor,
  NOTHING_LEARNT,
  type Ratio,
} from './scales.ts';
import fc from 'fast-check';

const A = 'model-a';

const B = 'model-b';

function counted(size: Partial<SizeForecast>, input: number, more: Partial<CountedRequest> = {}): CountedRequest {
  const forecast = { read: 0, write: size.whole ?? 0, fresh: 0, unsent: 0 };
  const prepared = { size: { input: 0, measured: 0, appended: 0, ...size }, forecast };
  return { model: A, prepared, input, before: undefined, spans: 1, first: 0, assumed: 1, ...more };
}

function learn(...requests: readonly CountedRequest[]): Scales {
  const scales = requests.reduce<Scales | undefined>(learnScales, undefined);
  if (scales === undefined) throw new Error('nothing was learnt');
  return scales;
}

/** Prose counted at a scale of 1.2, followed by a dump counted at 0.5. */
const PROSE = counted({ whole: 10_000 }, 12_000);

const DUMP = counted({ whole: 20_000, since: 10_000 }, 17_000, { before: 12_000, spans: 3 });

test('each stretch keeps the scale at which it was counted, even after later counts', () => {
  const scales = learn(PROSE, DUMP);
  expect(scaleOfFront(scales, A)).toBe(1.2);
  expect([0, 1, 2, 3].map((ordinal) => scaleOfSpan(scales, ordinal, A))).toEqual([1.2, 0.5, 0.5, undefined]);
});

test('images do not affect the scale of words', () => {
  const scales = learn(
    PROSE,
    counted({ whole: 13_000, since: 3_000, media: 2_000 }, 14_500, { before: 12_000, spans: 2 }),
  );
  expect(scaleOfSpan(scales, 1, A)).toBe(0.5);
});

test('a request that was packed again corrects all scales by the relative error of its forecast', () => {
  const again = counted({ whole: 15_000 }, 16_500, { spans: 4, first: 2 });
  const scales = learn(PROSE, DUMP, again);
  expect(scaleOfFront(scales, A)).toBeCloseTo(1.32, 10);
  expect(scaleOfSpan(scales, 2, A)).toBeCloseTo(0.55, 10);
  expect(scaleOfSpan(scales, 3, A)).toBeCloseTo(1.1, 10);
});

test('stretches that are no longer packed are forgotten', () => {
  expect(learn(PROSE, DUMP, counted({ whole: 15_000 }, 15_000, { spans: 4, first: 2 })).tail.length).toBe(2);
});

test('a second model has its own factor, and the first model keeps its scales', () => {
  const scales = learn(PROSE, DUMP, counted({ whole: 15_000 }, 30_000, { model: B, spans: 4 }));
  expect([scaleOfFront(scales, A), scaleOfFront(scales, B)]).toEqual([1.2, 2.4]);
  expect(scaleOfSpan(scales, 2, A)).toBe(0.5);
  expect(scaleOfFront(scales, 'constructor')).toBe(1.2);
});

test('an impossible count is limited, and a missing count changes nothing', () => {
  expect(scaleOfFront(learn(counted({ whole: 100 }, 100_000)), A)).toBe(4);
  expect(learnScales(undefined, counted({}, 1_000))).toBeUndefined();
  expect(learnScales(undefined, counted({ whole: 1_000 }, 0))).toBeUndefined();
});

test('a new span has its own scale, and uncounted text before it keeps the scale of new text', () => {
  const scales = withSpanScale(learn(PROSE, DUMP), { ordinal: 5, scale: 0.7, before: 0.9, model: A });
  expect([2, 3, 4, 5, 6].map((ordinal) => scaleOfSpan(scales, ordinal, A))).toEqual([0.5, 0.9, 0.9, 0.7, undefined]);
});

test('a new span of a model with a factor is stored at the scale of the first model', () => {
  const other = learn(PROSE, DUMP, counted({ whole: 15_000 }, 30_000, { model: B, spans: 4 }));
  const scales = withSpanScale(other, { ordinal: 4, scale: 1.4, before: 1, model: B });
  expect([scaleOfSpan(scales, 4, B), scaleOfSpan(scales, 4, A)]).toEqual([1.4, 0.7]);
  expect(withSpanScale(scales, { ordinal: 2, scale: 3, before: 3, model: A })).toBe(scales);
});

test('`scaleOfText` returns the scale of new text for text without a count', () => {
  const scaling = { ratio: { actual: 9, estimated: 10 }, model: A, scales: learn(PROSE, DUMP) };
  expect([-1, 1, 7, undefined].map((ordinal) => scaleOfText(scaling, ordinal))).toEqual([1.2, 0.5, 0.9, 0.9]);
  expect(scaleOfText({ ...scaling, scales: undefined }, 1)).toBe(0.9);
});

test('every scale stays within its limits, even after repeated extreme counts', () => {
  const odd = counted({ whole: 10_000 }, 900_000, { spans: 2 });
  const scales = learn(PROSE, DUMP, odd, odd, odd);
  expect([scaleOfFront(scales, A), scaleOfSpan(scales, 1, A)]).toEqual([4, 4]);
});

type Pair = readonly [estimated: number, actual: number];

function taught(from: Ratio, pairs: readonly Pair[]): Ratio {
  return pairs.reduce((ratio, [estimated, actual]) => learnRatio(ratio, estimated, actual), from);
}

function repeated(count: number, pair: Pair): readonly Pair[] {
  return Array.from({ length: count }, () => pair);
}

describe('the ratio', () => {
  it('applies its guess and returns no error before the first comparison', () => {
    expect(applyRatio(guessRatio(), 1_000)).toEqual({ tokens: 1_000 });
    expect(applyRatio(guessRatio(1.5), 1_000)).toEqual({ tokens: 1_500 });
  });

  it("approaches the provider's counts", () => {
    const ratio = taught(guessRatio(), repeated(50, [800, 1_000]));
    expect(applyRatio(ratio, 8_000).tokens).toBeCloseTo(10_000, -1.5);
    expect(applyRatio(ratio, 8_000).error).toBeLessThan(0.03);
  });

  it('returns the error that the estimates had when they were made', () => {
    const ratio = learnRatio(guessRatio(), 1_000, 1_250);
    expect(applyRatio(ratio, 100).error).toBe(0.2);
    expect(applyRatio(taught(ratio, repeated(60, [1_000, 1_250])), 100).error).toBeLessThan(0.02);
  });

  it('keeps an error of about 20% if the counts keep swinging by 20% around the estimate', () => {
    const swings = Array.from({ length: 60 }, (_, index) => [1_000, index % 2 === 0 ? 800 : 1_200] as const);
    expect(applyRatio(taught(guessRatio(), swings), 100).error).toBeCloseTo(0.2, 1);
  });

  it('changes little after a tiny text', () => {
    expect(applyRatio(learnRatio(guessRatio(), 1, 9), 1_000).tokens).toBeLessThan(1_030);
  });

  it('adapts when the kind of text changes', () => {
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
  ])('is unchanged by an estimate of %d and a count of %d', (estimated, actual) => {
    const ratio = guessRatio(1.2);
    expect(learnRatio(ratio, estimated, actual)).toBe(ratio);
  });

  const count = fc.integer({ min: 1, max: 1_000_000 });

  it('stays between the smallest and the largest observed ratio, including the guess', () => {
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

  it('is plain data: after a round trip through JSON it continues in the same way', () => {
    const ratio = taught(guessRatio(), [[700, 912]]);
    expect(learnRatio(JSON.parse(JSON.stringify(ratio)), 300, 400)).toEqual(learnRatio(ratio, 300, 400));
  });
});

it('`learntFor` returns `NOTHING_LEARNT` for a model whose name is a member of every object', () => {
  expect(['constructor', 'toString'].map((model) => learntFor({}, model))).toEqual([NOTHING_LEARNT, NOTHING_LEARNT]);
});
