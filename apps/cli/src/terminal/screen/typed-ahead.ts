// Text that the user typed before the screen could read keys. The terminal was in its line mode then, in which Enter
// arrives as a line feed. The editor would take it for Ctrl-J, which begins a new line.

import { setImmediate as nextTurn } from 'node:timers/promises';

/** Input of a terminal. */
export type TypedInput = NodeJS.ReadableStream & { setRawMode?(mode: boolean): unknown };

/**
 * Switches the raw mode on, reads what was typed until then, and puts it back into the input with Enter as the key. A
 * text of several lines can be a paste, so it is put back as it is. Returns true if something was typed.
 */
export async function restoreTypedAhead(stdin: TypedInput): Promise<boolean> {
  if (stdin.setRawMode === undefined) return false;
  stdin.setEncoding('utf8');
  stdin.setRawMode(true);
  let typed = '';
  const read = (): void => {
    for (let data = stdin.read(); data !== null; data = stdin.read()) typed += data.toString();
  };
  stdin.on('readable', read);
  // Each iteration of the event loop runs reads before immediates.
  for (let before = -1; before !== typed.length;) {
    before = typed.length;
    await nextTurn();
    await nextTurn();
  }
  stdin.off('readable', read);
  // The stream notices in the next iteration that nothing listens.
  await nextTurn();
  if (typed === '') return false;
  stdin.unshift(withEnter(typed));
  return true;
}

/** Returns the typed text with its line feed at the end replaced by the key Enter. */
function withEnter(typed: string): string {
  return /^[^\n]*\n$/.test(typed) ? `${typed.slice(0, -1)}\r` : typed;
}
