// Erases rows one by one. tmux moves the whole screen into its scrollback if a program erases from the first row to the
// end of the screen. The live part would then be in the scrollback once for each resize.

/** Sequence that erases from the cursor to the end of the screen. Ink writes it before it draws a frame. */
const ERASE_DOWN = '\u001b[J';

/** Returns the text with another sequence for erasing. It erases each row, and moves the cursor back to its place. */
export function erasedByRows(text: string, rows = 24): string {
  return text.replaceAll(ERASE_DOWN, `\u001b7\u001b[K${'\u001b[B\u001b[2K'.repeat(rows)}\u001b8`);
}
