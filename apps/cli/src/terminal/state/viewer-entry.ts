// Entry of the viewer: a long text with a title. Only the shown part of a very long text is in memory.

import type { Line } from './line.ts';

/** A text of the viewer. */
export interface ViewerEntry {
  readonly title: string;
  /** Opens the text. `columns` is the width of the terminal. */
  open(columns: number): Promise<LineSource>;
  /**
   * Calls `changed` each time the text has changed, until the returned function is called. The text is then opened again.
   * Absent for a text that does not change.
   */
  watch?(changed: () => void): () => void;
}

/** Lines of a text. Indexes begin at 0. */
export interface LineSource {
  /** Number of all lines. */
  readonly length: number;
  /** Returns the lines from `from` (inclusive) to `to` (exclusive). Returns fewer lines at the end of the text. */
  read(from: number, to: number): Promise<readonly Line[]>;
  /**
   * Returns the index of the nearest line that matches: the first one from `from` on, or with `backwards` the last one
   * before `from`. Returns `undefined` if no line matches.
   */
  find(matches: (line: string) => boolean, from: number, backwards: boolean): Promise<number | undefined>;
}
