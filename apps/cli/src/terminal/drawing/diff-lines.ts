// Unified diffs: colours the lines of a diff, and limits their number.

import type { Shown } from '../../frame/shown.ts';
import { withStyle } from '../../frame/shown.ts';

/** Returns a line of a unified diff in the colour of its kind. The sign at its beginning shows the kind too. */
export function diffLine(line: string): Shown {
  if (line.startsWith('@@')) return withStyle('cyan', line);
  if (line.startsWith('+++') || line.startsWith('---')) return withStyle('bold', line);
  if (line.startsWith('+')) return withStyle('green', line);
  if (line.startsWith('-')) return withStyle('red', line);
  return line.startsWith('\\') ? withStyle('dim', line) : line;
}

/** Returns the lines of a diff. Of a longer diff than `most` lines, the last line says how many lines are left out. */
export function diffLines(diff: string, most: number, how: string): readonly Shown[] {
  const lines = diff.split('\n');
  const shown = lines.slice(0, lines.length <= most ? most : most - 1).map(diffLine);
  const left = lines.length - shown.length;
  return left === 0 ? shown : [...shown, withStyle('dim', `… ${left} more lines, ${how}`)];
}
