import { expect, test } from 'vitest';

import { CANARIES } from './canaries.ts';
import { keptBy, scoreRounds } from './canary-scores.ts';
import { canaryRounds, CHECKPOINT_TOKENS, ROUNDS } from './canary-session.ts';
import { tokensOf } from './pieces.ts';

const rounds = await canaryRounds();

test("each round ends with Tidemark's own checkpoint, within its budget", () => {
  expect(rounds).toHaveLength(ROUNDS);
  for (const { kept, added } of rounds) {
    expect(kept[0]?.text).toMatch(/^<checkpoint>\n/);
    expect(tokensOf(kept.slice(0, 1))).toBeLessThanOrEqual(CHECKPOINT_TOKENS);
    expect(tokensOf(added)).toBeGreaterThan(4 * CHECKPOINT_TOKENS);
  }
});

test('the content of the rounds holds every canary in each round, so any loss is caused by a strategy', () => {
  const all = scoreRounds(keptBy((history) => history, rounds));
  expect(all.rounds).toEqual({ held: 104, of: 104 });
  expect(all.afterLast).toEqual({ held: CANARIES.length, of: CANARIES.length });
});

test('a strategy that keeps nothing holds no canary', () => {
  expect(scoreRounds(keptBy(() => [], rounds)).rounds).toEqual({ held: 0, of: 104 });
});

test("directives and decisions survive five of Tidemark's own compactions", () => {
  const { kinds } = scoreRounds(rounds.map(({ kept }) => kept));
  expect(kinds.directive?.held).toBeGreaterThan(0);
  expect(kinds.decision?.held).toBeGreaterThan(0);
});
