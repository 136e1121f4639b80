// Rows: wraps lines to the width of a terminal. A line can hang: its later rows begin below its text, not below its sign.

import stringWidth from 'string-width';
import wrapAnsi from 'wrap-ansi';

import type { Look } from '../../frame/shown.ts';
import { render } from '../../frame/shown.ts';
import type { Line } from '../state/line.ts';
import { splitStyled } from './split-styled.ts';

/** Returns lines as rows that fit into the columns, with the escape sequences of their styles. */
export function rowsOf(lines: readonly Line[], columns: number, colour: Look): readonly string[] {
  return lines.flatMap((line) => rowsOfLine(line, Math.max(1, columns), colour));
}

function rowsOfLine(line: Line, columns: number, colour: Look): readonly string[] {
  const { lead, hang, words, isCode } = hangingText(line, columns, colour);
  const width = stringWidth(hang);
  // In a very narrow terminal, the words get all columns.
  const isNarrow = width * 2 > columns;
  const options = { hard: true, trim: !isCode, wordWrap: !isCode };
  const room = isNarrow ? columns : columns - width;
  const text = isNarrow ? lead + words : words;
  const rows = wrapAnsi(isCode ? text : withBreaks(text, room), room, options).split('\n');
  if (isNarrow) return rows;
  return rows.map((row, index) => (index === 0 ? lead : hang) + row);
}

/** A line as text with escape sequences. */
interface HangingText {
  readonly lead: string;
  readonly hang: string;
  readonly words: string;
  /** True to break the words at the edge of the terminal. */
  readonly isCode: boolean;
}

/**
 * Returns a plain line as a hanging line. The indentation of the line is repeated before its later rows. Of a line with
 * two columns, such as a command and its explanation, the second column hangs.
 */
function hangingText(line: Line, columns: number, colour: Look): HangingText {
  if (typeof line === 'object' && 'lead' in line) {
    const { lead, hang, words, wrap } = line;
    const texts = { lead: render(lead, colour), hang: render(hang, colour), words: render(words, colour) };
    return { ...texts, isCode: wrap === 'characters' };
  }
  const words = render(line, colour);
  const plain = render(line, false);
  const [first = ''] = FIRST_COLUMN.exec(plain) ?? /^[ \t]*/.exec(plain) ?? [];
  if (first === '' || stringWidth(plain) <= columns) return { lead: '', hang: '', words, isCode: first !== '' };
  // The width of a tab depends on its place.
  if (first.includes('\t')) return { lead: '', hang: '', words, isCode: true };
  const [space = ''] = /^ */.exec(plain) ?? [];
  const begin = stringWidth(first) * 2 > columns ? space : first;
  const [lead, rest] = splitStyled(words, begin.length);
  return { lead, hang: ' '.repeat(stringWidth(begin)), words: rest, isCode: false };
}

/** Matches the indentation, the first column, and the space after it. Two spaces after a sentence begin no column. */
const FIRST_COLUMN = /^ *\S+(?: \S+)*(?<![.!?:]) {2,}(?=\S)/;

/**
 * Returns the text with a space in each word that is longer than a row: after the last slash that fits, or after another
 * sign. Two pieces of a word never fit into one row, so no space is shown. A path stays readable then.
 */
function withBreaks(text: string, columns: number): string {
  return text.replaceAll(/\u001b\[[\d;]*m|[!-~]+/g, (word) =>
    word.startsWith('\u001b') || word.length <= columns ? word : piecesOf(word, columns).join(' '),
  );
}

function piecesOf(word: string, columns: number): readonly string[] {
  const pieces: string[] = [];
  let rest = word;
  while (rest.length > columns) {
    const at = breakOf(rest.slice(0, columns));
    if (at === undefined) break;
    pieces.push(rest.slice(0, at));
    rest = rest.slice(at);
  }
  return [...pieces, rest];
}

/** Returns the place after the last sign at which a word can be broken. It is in the second half of the row. */
function breakOf(row: string): number | undefined {
  for (const sign of ['/', '\\', '&', '?', ',', ';', '=', '_', '-', '.']) {
    const at = row.lastIndexOf(sign) + 1;
    if (at > row.length / 2) return at;
  }
  return undefined;
}
