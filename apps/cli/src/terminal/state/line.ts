// Line: a piece of text for the screen that is wrapped to the width of the terminal.

import type { Shown } from '../../frame/shown.ts';

/** A line of the conversation. It can be longer than the width of the terminal. */
export type Line = Shown | HangingLine;

/** Returns a line that is broken at the edge of the terminal, such as a line of an output. It keeps its spaces. */
export function codeLine(words: Line): Line {
  return typeof words === 'object' && 'lead' in words ? words : { lead: '', hang: '', words, wrap: 'characters' };
}

/** A line with a sign or an indentation before its words. */
export interface HangingLine {
  /** Text before the words in the first row, such as `• `. */
  readonly lead: Shown;
  /** Text before the words in each later row, of the same width as `lead`. */
  readonly hang: Shown;
  readonly words: Shown;
  /** `characters` breaks a long line at the edge of the terminal. Default: `words`, which breaks it between words. */
  readonly wrap?: 'words' | 'characters';
}
