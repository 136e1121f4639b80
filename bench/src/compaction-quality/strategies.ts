// Strategies that are compared with Tidemark's own compaction. Each keeps at most a given number of tokens of a
// history.

import { estimateTokens } from '@tidemark/context';

import type { Piece } from './pieces.ts';
import { tokensOf } from './pieces.ts';

/** Returns the part of a history to keep, with at most `budget` tokens. */
export type Strategy = (history: readonly Piece[], budget: number) => readonly Piece[];

/**
 * `LAST` is the share of the history that `lastPartAndWords` keeps unchanged. `LAST_OF_BUDGET` is the maximum share of
 * the budget for that part.
 */
const LAST = 0.2;
const LAST_OF_BUDGET = 0.8;

/** Keeps the last part of the history, cut between two lines. */
export const lastPart: Strategy = (history, budget) => {
  const kept: Piece[] = [];
  let left = budget;
  for (const piece of history.toReversed()) {
    const fitting = lastLines(piece, left);
    if (fitting !== undefined) kept.unshift(fitting);
    if (fitting !== piece) break;
    left -= estimateTokens(piece.text);
  }
  return kept;
};

/** Keeps the newest prose and tool inputs that fit. */
export const wordsAndInputs: Strategy = (history, budget) =>
  lastPart(
    history.filter(({ from }) => from !== 'result'),
    budget,
  );

/** Keeps the last fifth of the history unchanged, and the newest prose and inputs before it that fit. */
export const lastPartAndWords: Strategy = (history, budget) => {
  const part = lastPart(history, Math.min(LAST * tokensOf(history), LAST_OF_BUDGET * budget));
  const before = history.slice(0, Math.max(0, history.length - part.length));
  return [...wordsAndInputs(before, budget - tokensOf(part)), ...part];
};

/**
 * Keeps as many whole messages from the end as fit. A message is a prompt, or an answer with the results of its calls.
 */
export const lastMessages: Strategy = (history, budget) => {
  let first = history.length;
  let kept = 0;
  for (let index = history.length - 1; index >= 0; index -= 1) {
    kept += tokensOf(history.slice(index, index + 1));
    if (kept > budget) break;
    if (history[index]?.group !== history[index - 1]?.group) first = index;
  }
  return history.slice(first);
};

/** Compared strategies, by their names in the table. */
export const BASELINES: Readonly<Record<string, Strategy>> = {
  'last part': lastPart,
  'own words and inputs': wordsAndInputs,
  'last 20% + own words': lastPartAndWords,
  'last N messages': lastMessages,
};

/** Returns the piece if it fits, otherwise its last lines that fit, or `undefined` if no line fits. */
function lastLines(piece: Piece, budget: number): Piece | undefined {
  if (estimateTokens(piece.text) <= budget) return piece;
  const lines = piece.text.split('\n');
  let [low, high] = [0, lines.length];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (estimateTokens(lines.slice(-middle).join('\n')) <= budget) low = middle;
    else high = middle - 1;
  }
  return low === 0 ? undefined : { ...piece, text: lines.slice(-low).join('\n') };
}
