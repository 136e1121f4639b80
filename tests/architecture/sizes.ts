// File sizes: limits the lines of a file, so that it can be read in one sitting.

import type { Tree, Violation } from './tree.ts';
import { isSource } from './tree.ts';

/** Maximum number of lines of a source file. */
export const MAX_LINES = 400;

/** Matches files that a program writes. No one reads them from top to bottom. */
const GENERATED = /\/generated\//;

/** Returns the source files with more than `MAX_LINES` lines. */
export function longFiles(tree: Tree): readonly Violation[] {
  return [...tree].flatMap(([file, text]) => {
    const lines = text.endsWith('\n') ? text.split('\n').length - 1 : text.split('\n').length;
    return isSource(file) && !GENERATED.test(file) && lines > MAX_LINES
      ? [{ file, problem: `${lines} lines, at most ${MAX_LINES}` }]
      : [];
  });
}
