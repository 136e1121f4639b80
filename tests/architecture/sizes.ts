// No file grows past what a person reads in one sitting.

import type { Tree, Violation } from './tree.ts';
import { isSource } from './tree.ts';

/** The most lines a source may have. */
export const MOST_LINES = 400;

/** Sources above the limit. */
export function longFiles(tree: Tree): readonly Violation[] {
  return [...tree].flatMap(([file, text]) => {
    const lines = text.endsWith('\n') ? text.split('\n').length - 1 : text.split('\n').length;
    return isSource(file) && lines > MOST_LINES ? [{ file, problem: `${lines} lines, at most ${MOST_LINES}` }] : [];
  });
}
