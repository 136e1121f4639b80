// Rows: wraps lines to the width of a terminal. A line can hang: its later rows begin below its text, not below its sign.

import stringWidth from 'string-width';
import wrapAnsi from 'wrap-ansi';

import type { Look } from '../../frame/shown.ts';
import { render } from '../../frame/shown.ts';
import type { HangingLine, Line } from '../state/line.ts';

/** Returns lines as rows that fit into the columns, with the escape sequences of their styles. */
export function rowsOf(lines: readonly Line[], columns: number, colour: Look): readonly string[] {
  return lines.flatMap((line) => rowsOfLine(line, Math.max(1, columns), colour));
}

function rowsOfLine(line: Line, columns: number, colour: Look): readonly string[] {
  const { lead, hang, words, wrap } = hangingLine(line);
  const shown = render(hang, colour);
  const width = stringWidth(render(hang, false));
  // In a very narrow terminal, the words get all columns.
  const isNarrow = width * 2 > columns;
  const isCode = wrap === 'characters';
  const options = { hard: true, trim: !isCode, wordWrap: !isCode };
  const text = isNarrow ? render([lead, words], colour) : render(words, colour);
  const rows = wrapAnsi(text, isNarrow ? columns : columns - width, options).split('\n');
  if (isNarrow) return rows;
  return rows.map((row, index) => (index === 0 ? render(lead, colour) : shown) + row);
}

/** Returns a plain line as a hanging line. The indentation of the line is repeated before its later rows. */
function hangingLine(line: Line): HangingLine {
  if (typeof line === 'object' && 'lead' in line) return line;
  const [space = ''] = /^[ \t]*/.exec(render(line, false)) ?? [];
  return space === '' ? { lead: '', hang: '', words: line } : { lead: '', hang: '', words: line, wrap: 'characters' };
}
