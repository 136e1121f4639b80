// Sequences that move the cursor and erase, for terminals whose size can have changed.
//
// Rows are erased one by one. tmux moves the whole screen into its scrollback if a program erases from the first row to the
// end of the screen. The live part would then be in the scrollback once for each resize.

/** Sequence that erases from the cursor to the end of the screen. Ink writes it before it draws a frame. */
const ERASE_DOWN = '\u001b[J';

/** Returns the text with another sequence for erasing. It erases each row, and moves the cursor back to its place. */
export function erasedByRows(text: string, rows = 24): string {
  return text.replaceAll(ERASE_DOWN, `\u001b7\u001b[K${'\u001b[B\u001b[2K'.repeat(rows)}\u001b8`);
}

/**
 * Returns the text with line feeds for the sequences that move the cursor down. When a terminal becomes lower, it drops
 * the rows below the cursor. Until it reports its size, Ink would move down by rows that no longer exist, stop at the
 * last row, and then move up into the rows above the frame. A line feed adds the missing row.
 */
export function movedByLineFeeds(text: string): string {
  return text.replaceAll(/\u001b\[(\d*)[BE]/g, (_, count: string) => '\n'.repeat(Number.parseInt(count, 10) || 1));
}

/**
 * Returns the sequence that moves the cursor up by a number of lines, to the first row of the line. In tmux and xterm.js
 * a backspace at the first column goes to the row above only if the terminal has wrapped the line there. The terminal
 * itself thus finds the beginning of each line, whatever its width is now, and the cursor cannot go too far.
 */
export function movedUpByLines(lines: number): string {
  const toBeginning = `${'\r\b'.repeat(MOST_ROWS)}\r`;
  return `\u001b[?45h${toBeginning}${`\u001b[A${toBeginning}`.repeat(Math.max(0, lines))}\u001b[?45l`;
}

/** Number of rows above its last row that a line is searched for. Of a line with more rows, some are not erased. */
const MOST_ROWS = 16;
