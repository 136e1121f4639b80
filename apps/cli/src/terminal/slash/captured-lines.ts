// Converts the captured output of a command line into lines for the terminal. The styles of Tidemark become styled text.
// Every other control sequence is removed when the lines are shown.

import type { Shown, Style } from '../../frame/shown.ts';
import { withStyle } from '../../frame/shown.ts';

/** Style that begins with a code of ANSI (SGR). Every other code ends the style. */
const STYLES: ReadonlyMap<string, Style> = new Map([
  ['1', 'bold'],
  ['2', 'dim'],
  ['31', 'red'],
  ['32', 'green'],
  ['33', 'yellow'],
  ['36', 'cyan'],
]);

/** Returns the lines of a captured output, with their styles. Empty lines at the end are omitted. */
export function capturedLines(text: string): readonly Shown[] {
  const lines: Shown[][] = [[]];
  let style: Style | undefined;
  for (const [index, piece] of text
    .trimEnd()
    .split(/\u001b\[(\d+)m/)
    .entries()) {
    // The pieces at odd indexes are the codes between the texts.
    if (index % 2 === 1) style = STYLES.get(piece);
    else addText(lines, piece, style);
  }
  return lines.length === 1 && lines[0]?.length === 0 ? [] : lines;
}

function addText(lines: Shown[][], text: string, style: Style | undefined): void {
  for (const [index, line] of text.split('\n').entries()) {
    if (index > 0) lines.push([]);
    if (line !== '') lines.at(-1)?.push(style === undefined ? line : withStyle(style, line));
  }
}
