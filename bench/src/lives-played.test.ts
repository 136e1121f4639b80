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

describe('generated work days', () => {
  const days = pauseSequences(1).map(({ name, streams }): readonly [string, Played] => [
    name,
    streams.map((steps) => play(steps, sonnet)).reduce(addPlayed),
  ]);

  it('cost less with chosen TTLs than with either fixed TTL, and at most 10% more than with every gap known', () => {
    const all = days.map(([, played]) => played).reduce(addPlayed);
    expect(all.chosen).toBeLessThan(Math.min(all['5m'], all['1h']));
    expect(all.chosen / all.oracle).toBeLessThan(1.1);
  });

  it.each(days)('cost at most 10% more than the oracle for each kind of day: %s', (_, { chosen, oracle }) => {
    expect(chosen / oracle).toBeLessThan(1.1);
  });
});

describe('a played stream', () => {
  it('without pauses costs one write for each new token and one read for each old one', () => {
    // 1,200 tokens are written at 1.25, and 1,000 + 1,100 tokens are read at 0.1.
    expect(play(grown(0, 1, 1), sonnet)).toMatchObject({ '5m': 1_710, '1h': 2_610, chosen: 1_710, oracle: 1_710 });
  });

  it('is written again after five minutes with the short TTL, and after an hour with any TTL', () => {
    expect(play(grown(0, 5), sonnet)).toMatchObject({ '5m': 2_625, '1h': 2_300 });
    expect(play(grown(0, 60), sonnet)).toMatchObject({ '5m': 2_625, '1h': 4_200, oracle: 2_625 });
  });

  it('is written with the one-hour TTL from the second pause below an hour on', () => {
    // The call after the second pause writes 1,200 tokens with the one-hour TTL. The next call reads them after another
    // pause and writes 100 tokens.
    const { chosen } = play(grown(0, 20, 20, 20), sonnet);
    expect(chosen).toBeCloseTo(1.25 * 1_000 + 1.25 * 1_100 + 2 * 1_200 + 0.1 * 1_200 + 2 * 100);
  });

  it('keeps the five-minute TTL after one pause, and after a call that repeats only a part of the cached tokens', () => {
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
