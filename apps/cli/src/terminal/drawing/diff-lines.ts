// Unified diffs: colours the lines of a diff, and limits their number.

import type { Shown, Style } from '../../frame/shown.ts';
import { withStyle } from '../../frame/shown.ts';
import { markedText } from '../../present/marked-text.ts';

/** Returns the style of a line of a unified diff. The sign at its beginning shows the kind of the line too. */
export function diffStyle(line: string): Style | undefined {
  if (line.startsWith('@@')) return 'cyan';
  if (line.startsWith('+++') || line.startsWith('---')) return 'bold';
  if (line.startsWith('+')) return 'green';
  if (line.startsWith('-')) return 'red';
  return line.startsWith('\\') ? 'dim' : undefined;
}

/** Returns a line of a unified diff in the style of its kind. */
export function diffLine(line: string): Shown {
  const style = diffStyle(line);
  return style === undefined ? line : withStyle(style, line);
}

/** Maximum length of a line of a shortened diff, in characters. */
const LONGEST = 2_000;

/**
 * Returns the lines of a diff, with invisible characters marked. Of a longer diff than `most` lines, the last line says how many lines are left out. Long
 * lines are cut, unless all lines are shown.
 */
export function diffLines(diff: string, most: number, how: string): readonly Shown[] {
  // The line ends of a file with CRLF are no content.
  const lines = diff.split(/\r?\n/);
  const shown = lines
    .slice(0, lines.length <= most ? most : most - 1)
    .map((line) => diffLine(markedText(most === Infinity ? line : cut(line))));
  const left = lines.length - shown.length;
  return left === 0 ? shown : [...shown, withStyle('dim', `… ${left} more lines, ${how}`)];
}

function cut(line: string): string {
  return line.length > LONGEST ? `${line.slice(0, LONGEST).toWellFormed()}…` : line;
}
