// Goals of a compaction, each reached or missed.

import { largest } from '../figures.ts';
import type { CanaryScore } from './canary-scores.ts';
import { CUTS } from './cut-sessions.ts';
import type { Recall } from './recall.ts';
import { addShares, OWN } from './recall.ts';

/** One goal, with its measured value and the wanted value. */
export interface Goal {
  readonly name: string;
  readonly seen: number;
  readonly wanted: number;
  readonly reached: boolean;
}

/**
 * Minimum difference between the recall of Tidemark's compaction and the recall of the best other strategy of the same
 * size.
 */
const ABOVE = 0.1;
/** Share of the facts from prose and inputs that Tidemark's compaction must keep. */
const OF_SAID = 0.9;

/** Returns the goals for compactions to a quarter of the size, over all sessions together. */
export function recallGoals(recalls: readonly Recall[]): readonly Goal[] {
  const quarter = recalls.filter(({ size }) => size === 'quarter');
  return CUTS.flatMap((cut) =>
    (['said', 'results'] as const).flatMap((origin): readonly Goal[] => {
      const at = `at ${cut * 100}%, facts from ${origin === 'said' ? 'prose and inputs' : 'results'}`;
      const seen = recallOf(quarter, OWN, cut, origin);
      const others = [...new Set(quarter.map(({ strategy }) => strategy))].filter((name) => name !== OWN);
      const best = largest(others.map((name) => recallOf(quarter, name, cut, origin)));
      const above = goal(`${ABOVE.toFixed(2)} above the best other ${at}`, seen, best + ABOVE, true);
      return origin === 'said' ? [above, goal(`above ${OF_SAID} ${at}`, seen, OF_SAID, false)] : [above];
    }),
  );
}

/** Returns the goal of the canaries: all of them are held after the last round. */
export function canaryGoal({ afterLast }: CanaryScore): Goal {
  return goal('all canaries after five rounds', afterLast.held / afterLast.of, 1, true);
}

/**
 * Returns the recall of a strategy at a cut, over all sessions: the share of the needed facts that it kept. `NaN` if no
 * fact is needed.
 */
export function recallOf(
  recalls: readonly Recall[],
  strategy: string,
  cut: number,
  origin: 'said' | 'results' | 'withReading',
): number {
  const { kept, of } = addShares(
    recalls.filter((one) => one.strategy === strategy && one.cut === cut).map((one) => one[origin]),
  );
  return kept / of;
}

/** Makes a goal. Values are compared with a tolerance of a millionth, because sums are rounded. */
function goal(name: string, seen: number, wanted: number, orEqual: boolean): Goal {
  const reached = orEqual ? seen > wanted - 1e-6 : seen > wanted + 1e-6;
  return { name, seen, wanted, reached };
}
