import { expect, test } from 'vitest';

import type { CanaryScore } from './canary-scores.ts';
import { qualityTable } from './quality-table.ts';
import type { Recall } from './recall.ts';

const SCORE: CanaryScore = { rounds: { held: 70, of: 104 }, afterLast: { held: 16, of: 24 }, kinds: {} };
const CANARIES = new Map([['last part', SCORE]]);

function recall(session: string, cut: number, kept: number): Recall {
  const share = { kept, of: 10 };
  const sizes = { before: 1_000, kept: 250, cost: 0.5 };
  return {
    session,
    cut,
    size: 'quarter',
    strategy: 'last part',
    said: share,
    results: share,
    withReading: share,
    ...sizes,
  };
}

test('a row has the canary scores, the recall of all sessions at each cut, the mean size and the cost', () => {
  const recalls = [0.4, 0.6, 0.8].flatMap((cut) => [recall('a', cut, 10 * cut), recall('b', cut, 0)]);
  const [row] = qualityTable(CANARIES, recalls).rows;
  const at = '0.20 / 0.30 / 0.40';
  expect(row).toEqual(['quarter: last part', '70 of 104', '16 of 24', at, at, at, '250 (25%)', '0.50']);
});

test('without recordings, a row has the canary scores and `absent` for the recall', () => {
  const { head, rows } = qualityTable(CANARIES, []);
  expect(rows[0]).toEqual(['quarter: last part', '70 of 104', '16 of 24', ...head.slice(3).map(() => 'absent')]);
});
