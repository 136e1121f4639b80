// Number of canaries that each strategy still holds, by round.

import type { Canary, CanaryKind } from './canaries.ts';
import { CANARIES, isHeld } from './canaries.ts';
import type { CanaryRound } from './canary-session.ts';
import { CHECKPOINT_TOKENS, TAIL_TOKENS } from './canary-session.ts';
import type { Piece } from './pieces.ts';
import type { Strategy } from './strategies.ts';

/** Canaries held (`held`), of all that were planted (`of`). */
export interface Held {
  readonly held: number;
  readonly of: number;
}

/**
 * Scores of a strategy: `rounds` over all rounds, `afterLast` for the last round only. A canary counts in the round in
 * which it was planted and in every later round.
 */
export interface CanaryScore {
  readonly rounds: Held;
  readonly afterLast: Held;
  /** Scores over all rounds, by kind of canary. */
  readonly kinds: { readonly [kind in CanaryKind]?: Held };
}

/** Returns the scores for the text that was kept after each round. `kept` contains one entry per round. */
export function scoreRounds(kept: readonly (readonly Piece[])[]): CanaryScore {
  const looks = kept.flatMap((pieces, index) =>
    CANARIES.filter((canary) => canary.round <= index + 1).map((canary) => ({
      canary,
      last: index === kept.length - 1,
      held: isHeld(canary, index + 1, pieces),
    })),
  );
  const of = (picked: readonly { readonly canary: Canary; readonly held: boolean }[]): Held => ({
    held: picked.filter(({ held }) => held).length,
    of: picked.length,
  });
  const kinds = [...new Set(CANARIES.map(({ kind }) => kind))];
  return {
    rounds: of(looks),
    afterLast: of(looks.filter(({ last }) => last)),
    kinds: Object.fromEntries(kinds.map((kind) => [kind, of(looks.filter(({ canary }) => canary.kind === kind))])),
  };
}

/**
 * Returns what another strategy keeps in the same rounds. In each round it compacts what it kept before and what the
 * round added.
 */
export function keptBy(strategy: Strategy, rounds: readonly CanaryRound[]): readonly (readonly Piece[])[] {
  let kept: readonly Piece[] = [];
  return rounds.map(({ added }) => (kept = strategy([...kept, ...added], CHECKPOINT_TOKENS + TAIL_TOKENS)));
}
