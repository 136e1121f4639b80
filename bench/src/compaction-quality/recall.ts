// Measures the recall of later-needed facts for every strategy at every cut, at two sizes that are the same for all
// strategies.

import { cacheCost } from './cache-cost.ts';
import { compactByDefault, compactWithin } from './compact-cut.ts';
import type { CutSession } from './cut-sessions.ts';
import type { Fact, LaterNeeded } from './facts.ts';
import { laterNeeded } from './facts.ts';
import { isFoundByReading, isKept, readKept } from './kept-text.ts';
import type { Piece } from './pieces.ts';
import { tokensOf } from './pieces.ts';
import { BASELINES } from './strategies.ts';

/** Name of Tidemark's own compaction in the table. */
export const OWN = 'tidemark: checkpoint + tail';

/**
 * Size allowed to all strategies. `quarter`: a quarter of the size before the cut. `default`: the size that Tidemark's
 * compaction keeps by default.
 */
export type SizeName = 'quarter' | 'default';

/** Number of facts kept (`kept`), of those that are needed (`of`). */
export interface Share {
  readonly kept: number;
  readonly of: number;
}

/** Result of one strategy at one cut of one session. */
export interface Recall {
  readonly session: string;
  readonly cut: number;
  readonly size: SizeName;
  readonly strategy: string;
  /** Facts first seen in prose or inputs. */
  readonly said: Share;
  /** Facts first seen in results. */
  readonly results: Share;
  /** Facts first seen in results. A fact also counts as kept if reading a kept path again would find it. */
  readonly withReading: Share;
  /** Tokens before the compaction (`before`) and after it (`kept`). */
  readonly before: number;
  readonly kept: number;
  /** Relative cost of the next calls, from `cacheCost`. */
  readonly cost: number;
}

/** For the size `quarter`, a strategy keeps at most this share of the tokens before the cut. */
const QUARTER = 0.25;

/** Measures all strategies at a cut, for both sizes. */
export async function recallAt(session: CutSession): Promise<readonly Recall[]> {
  const needed = laterNeeded(session.before, session.after);
  const before = tokensOf(session.before);
  const byDefault = await compactByDefault(session);
  const quarter = Math.floor(QUARTER * before);
  const sizes = [
    { size: 'quarter', budget: quarter, own: await compactWithin(session, quarter) },
    { size: 'default', budget: tokensOf(byDefault), own: byDefault },
  ] as const;
  return sizes.flatMap(({ size, budget, own }) => {
    const others = Object.entries(BASELINES).map(([name, keep]) => [name, keep(session.before, budget)] as const);
    return [[OWN, own] as const, ...others].map(([strategy, pieces]): Recall => {
      const kept = tokensOf(pieces);
      const cost = cacheCost({ before, kept, growth: before / session.answers });
      const { name, cut } = session;
      return { session: name, cut, size, strategy, ...sharesOf(needed, pieces), before, kept, cost };
    });
  });
}

/** Returns how many facts the pieces hold, by the origin of the fact. */
export function sharesOf(
  { facts, places }: LaterNeeded,
  pieces: readonly Piece[],
): Pick<Recall, 'said' | 'results' | 'withReading'> {
  const text = readKept(pieces);
  const share = (origin: Fact['origin'], held: (fact: Fact) => boolean): Share => {
    const all = facts.filter((fact) => fact.origin === origin);
    return { kept: all.filter(held).length, of: all.length };
  };
  const held = (fact: Fact): boolean => isKept(fact, text, places);
  return {
    said: share('said', held),
    results: share('result', held),
    withReading: share('result', (fact) => held(fact) || isFoundByReading(fact, text)),
  };
}

/** Adds shares, for example those of all sessions at one cut. */
export function addShares(shares: readonly Share[]): Share {
  return shares.reduce((sum, { kept, of }) => ({ kept: sum.kept + kept, of: sum.of + of }), { kept: 0, of: 0 });
}
