// Builds the table of compaction quality: one row per size and strategy, with the canary scores, the recall by origin
// and cut, the kept tokens and the cache cost.

import type { TableOfResult } from '../benchmark.ts';
import { sum } from '../figures.ts';
import type { CanaryScore } from './canary-scores.ts';
import { CUTS } from './cut-sessions.ts';
import { recallOf } from './goals.ts';
import type { Recall, SizeName } from './recall.ts';

/** Canary scores by strategy. */
export type CanaryScores = ReadonlyMap<string, CanaryScore>;

const SIZES: readonly SizeName[] = ['quarter', 'default'];
const CUT_NAMES = CUTS.map((cut) => cut * 100).join(' / ');

/** Makes the table. Without recordings, the cells of the recall contain `absent`. */
export function qualityTable(canaries: CanaryScores, recalls: readonly Recall[]): TableOfResult {
  const head = [
    'size, strategy',
    'canary rounds',
    'after round 5',
    `from prose and inputs at ${CUT_NAMES}%`,
    `from results at ${CUT_NAMES}%`,
    'with reading again',
    'kept tokens',
    'cost of 20 calls',
  ];
  const rows = SIZES.flatMap((size) =>
    [...canaries].map(([strategy, score]) => {
      const own = recalls.filter((one) => one.size === size && one.strategy === strategy);
      return [`${size}: ${strategy}`, ...canaryCells(score, size), ...recallCells(own, strategy)];
    }),
  );
  return { head, rows };
}

/**
 * Returns the canary cells of a row. The canary rounds have a fixed budget that does not depend on the size, so their
 * scores are printed once.
 */
function canaryCells({ rounds, afterLast }: CanaryScore, size: SizeName): readonly string[] {
  if (size !== 'quarter') return ['as above', 'as above'];
  return [`${rounds.held} of ${rounds.of}`, `${afterLast.held} of ${afterLast.of}`];
}

function recallCells(own: readonly Recall[], strategy: string): readonly string[] {
  if (own.length === 0) return ['absent', 'absent', 'absent', 'absent', 'absent'];
  const at = (origin: 'said' | 'results' | 'withReading'): string =>
    CUTS.map((cut) => recallOf(own, strategy, cut, origin).toFixed(2)).join(' / ');
  const mean = (of: (one: Recall) => number): number => sum(own.map(of)) / own.length;
  const share = sum(own.map(({ kept }) => kept)) / sum(own.map(({ before }) => before));
  return [
    at('said'),
    at('results'),
    at('withReading'),
    `${Math.round(mean(({ kept }) => kept))} (${Math.round(100 * share)}%)`,
    mean(({ cost }) => cost).toFixed(2),
  ];
}
