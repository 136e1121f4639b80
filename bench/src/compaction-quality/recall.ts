// Later-needed recall of every strategy at every cut, at two equal sizes.

import { cacheCost } from './cache-cost.ts';
import { compactByDefault, compactWithin } from './compact-cut.ts';
import type { CutSession } from './cut-sessions.ts';
import type { Fact, LaterNeeded } from './facts.ts';
import { laterNeeded } from './facts.ts';
import { isFoundByReading, isKept, readKept } from './kept-text.ts';
import type { Piece } from './pieces.ts';
import { tokensOf } from './pieces.ts';
import { BASELINES } from './strategies.ts';

/** The program's own row. */
export const OWN = 'tidemark: checkpoint + tail';

/** A quarter of the size before the cut; or the size of what the program keeps by default. */
export type SizeName = 'quarter' | 'default';

/** Facts kept, of those that are needed. */
export interface Share {
  readonly kept: number;
  readonly of: number;
}

/** One strategy at one cut of one session. */
export interface Recall {
  readonly session: string;
  readonly cut: number;
  readonly size: SizeName;
  readonly strategy: string;
  /** Facts first seen in prose or inputs. */
  readonly said: Share;
  /** Facts first seen in results. */
  readonly results: Share;
  /** The same, with those that reading a kept path again would find. */
  readonly withReading: Share;
  /** Tokens. */
  readonly before: number;
  readonly kept: number;
  /** See `cacheCost`. */
  readonly cost: number;
}

/** Share of the size before a cut that a strategy may keep. */
const QUARTER = 0.25;

/** Measures all strategies at a cut. */
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

/** Returns how many facts some pieces hold, by the origin of the fact. */
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

/** Adds shares up, over sessions for one cut. */
export function addShares(shares: readonly Share[]): Share {
  return shares.reduce((sum, { kept, of }) => ({ kept: sum.kept + kept, of: sum.of + of }), { kept: 0, of: 0 });
}
