import { expect, test } from 'vitest';

import { canaryGoal, recallGoals } from './goals.ts';
import type { Recall } from './recall.ts';
import { OWN } from './recall.ts';

function recall(strategy: string, prose: number, results: number, size: Recall['size'] = 'quarter'): readonly Recall[] {
  const of = 100;
  return [0.4, 0.6, 0.8].map((cut) => ({
    session: 's',
    cut,
    size,
    strategy,
    said: { kept: prose, of },
    results: { kept: results, of },
    withReading: { kept: results, of },
    before: 1_000,
    kept: 250,
    cost: 0.5,
  }));
}

const reached = (recalls: readonly Recall[]): readonly boolean[] => recallGoals(recalls).map((goal) => goal.reached);

test('the goals are reached if the recall is 0.10 above the best other strategy, and above 0.90 for prose and inputs', () => {
  const others = [...recall('a', 85, 40), ...recall('b', 60, 70)];
  expect(reached([...recall(OWN, 95, 80), ...others])).toEqual(
    Array.from({ length: 3 }, () => [true, true, true]).flat(),
  );
  expect(reached([...recall(OWN, 90, 79), ...others])).toEqual(
    Array.from({ length: 3 }, () => [false, false, false]).flat(),
  );
});

test('the goals consider only compactions to a quarter of the size', () => {
  const best = recall('a', 100, 100, 'default');
  expect(reached([...recall(OWN, 95, 80), ...recall('a', 50, 50), ...best])).not.toContain(false);
});

test('the goal of the canaries is to hold all of them after the last round', () => {
  const score = { rounds: { held: 9, of: 10 }, kinds: {} };
  expect(canaryGoal({ ...score, afterLast: { held: 4, of: 4 } }).reached).toBe(true);
  expect(canaryGoal({ ...score, afterLast: { held: 3, of: 4 } }).reached).toBe(false);
});
