// How much a turn adds to the history, by the turns before it: what the turn that begins is expected to add.

import { itemAt } from '../base/append-only.ts';
import { inModelTokens } from '../pressure/next-input.ts';
import { sizeOfSpan } from '../base/span-size.ts';
import type { State } from '../state/state.ts';

/** Turns that are looked at: enough that one long or short turn alone decides nothing. */
const TURNS = 3;

/**
 * Returns the tokens that the turn before the open one added, as the median of the last three turns that are packed whole: an
 * estimate on the model's scale. `undefined` when no such turn is packed. The cost follows the length of these turns.
 */
export function turnGrowth(state: State): number | undefined {
  const added = lastTurns(state).toSorted((a, b) => a - b);
  const median = added[Math.floor((added.length - 1) / 2)];
  return median === undefined ? undefined : inModelTokens(state, median).tokens;
}

/** Estimated tokens of the last turns but the open one, the newest first. */
function lastTurns({ turns, history: { packed, lead }, compacted }: State): readonly number[] {
  const behind = compacted?.data.range.to ?? -1;
  const added: number[] = [];
  let index = packed.length - 1;
  for (let turn = turns.length - 1; turn >= 0 && added.length <= TURNS; turn -= 1) {
    const start = itemAt(turns, turn) ?? -1;
    // A part of it stands in the checkpoint.
    if (start <= behind) break;
    let tokens = 0;
    for (; index >= lead; index -= 1) {
      const span = itemAt(packed, index);
      if (span === undefined || span.group < start) break;
      tokens += sizeOfSpan(span).tokens;
    }
    added.push(tokens);
  }
  // The open turn has added nothing but its prompt.
  return added.slice(1);
}
