import { unitPrice } from '@tidemark/context';
import { timestamp } from '@tidemark/log';
import { describe, expect, it } from 'vitest';

import type { Charged, Played } from './lives-played.ts';
import { addPlayed, play } from './lives-played.ts';
import { rowOf } from './model-row.ts';
import type { Step } from './pause-sequences.ts';
import { pauseSequences } from './pause-sequences.ts';

function charged(model: string): Charged {
  const capabilities = rowOf(model);
  const price = unitPrice(capabilities, timestamp('2026-11-20T00:00:00.000Z'), 0);
  if (price === undefined) throw new Error(`no price of ${model}`);
  return { capabilities, price };
}

const sonnet = charged('claude-sonnet-4-5');
const MINUTE = 60_000;
const grown = (...gaps: readonly number[]): readonly Step[] =>
  gaps.map((gap, index) => ({ gap: gap * MINUTE, tokens: 1_000 + 100 * index, kept: index && 900 + 100 * index }));

describe('made days of work', () => {
  const days = pauseSequences(1).map(({ name, streams }): readonly [string, Played] => [
    name,
    streams.map((steps) => play(steps, sonnet)).reduce(addPlayed),
  ]);

  it('cost less with chosen lives than with either fixed one, and at most 10% more than with every gap known', () => {
    const all = days.map(([, played]) => played).reduce(addPlayed);
    expect(all.chosen).toBeLessThan(Math.min(all['5m'], all['1h']));
    expect(all.chosen / all.oracle).toBeLessThan(1.1);
  });

  it.each(days)('are within 10% of the oracle also by themselves: %s', (_, { chosen, oracle }) => {
    expect(chosen / oracle).toBeLessThan(1.1);
  });
});

describe('a stream played', () => {
  it('without pauses costs each token written once and each old one read', () => {
    // 1.25 × 1,200 + 0.1 × (1,000 + 1,100)
    expect(play(grown(0, 1, 1), sonnet)).toMatchObject({ '5m': 1_710, '1h': 2_610, chosen: 1_710, oracle: 1_710 });
  });

  it('writes all again after five minutes, and after an hour however it was written', () => {
    expect(play(grown(0, 5), sonnet)).toMatchObject({ '5m': 2_625, '1h': 2_300 });
    expect(play(grown(0, 60), sonnet)).toMatchObject({ '5m': 2_625, '1h': 4_200, oracle: 2_625 });
  });

  it('buys an hour with the second pause within the hour', () => {
    // The call after the second pause writes 1,200 for an hour, the next reads them after another pause and writes 100.
    const { chosen } = play(grown(0, 20, 20, 20), sonnet);
    expect(chosen).toBeCloseTo(1.25 * 1_000 + 1.25 * 1_100 + 2 * 1_200 + 0.1 * 1_200 + 2 * 100);
  });

  it('keeps five minutes after one pause and after a part of the tokens was broken', () => {
    const one: readonly Step[] = [...grown(0, 20), { gap: MINUTE, tokens: 1_200, kept: 600 }];
    const { chosen, '5m': short } = play(one, sonnet);
    expect(chosen).toBe(short);
  });

  it('never costs less than with every gap known', () => {
    for (const gaps of [
      [0, 7, 1, 90, 2],
      [0, 90, 7, 7, 7],
      [0, 1, 1, 59, 61],
    ]) {
      const { oracle, ...others } = play(grown(...gaps), sonnet);
      expect(Math.min(...Object.values(others))).toBeGreaterThanOrEqual(oracle);
    }
  });
});
