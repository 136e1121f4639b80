// Drawn rows: follows what Ink writes to the terminal, and keeps the text of each row. When the terminal becomes
// narrower, it wraps rows. Their text tells how many rows they fill then.

import stringWidth from 'string-width';

import { rowsOf } from '../drawing/rows.ts';
import type { Reflow } from './reflow.ts';

/** Rows that were written, and the cursor. A row has a number that does not change when the terminal scrolls. */
export interface DrawnRows {
  /** Follows a text that is written to the terminal. */
  write(text: string): void;
  /** Number of the row of the cursor. */
  row(): number;
  /**
   * Returns how many rows the cursor is below the beginning of an earlier row, after the terminal has wrapped its rows
   * to a width.
   */
  rowsSince(row: number, columns: number, reflow: Reflow): number;
}

/** Rows above the cursor that are kept. */
const KEPT_ROWS = 400;

/** Matches a control sequence, another escape sequence, a control character, or text. */
const PIECE =
  /\u001b\[([\d;?<>]*)([@-~])|\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\)|\u001b[^[\]]|[\n\r]|[^\u001b\n\r]+/g;

/** Creates the rows of a terminal that nothing was written to. */
export function createDrawnRows(): DrawnRows {
  const rows = new Map<number, string>();
  let row = 0;
  let column = 0;
  const moveTo = (nextRow: number, nextColumn: number): void => {
    row = nextRow;
    column = nextColumn;
    rows.delete(row - KEPT_ROWS);
  };
  const keep = (text: string): void => void (text === '' ? rows.delete(row) : rows.set(row, text));
  const control = (parameters: string, sign: string): void => {
    const count = Math.max(1, Number.parseInt(parameters, 10) || 1);
    if (sign === 'A') moveTo(row - count, column);
    else if (sign === 'B') moveTo(row + count, column);
    else if (sign === 'C') column += count;
    else if (sign === 'D') column = Math.max(0, column - count);
    else if (sign === 'E') moveTo(row + count, 0);
    else if (sign === 'G') column = count - 1;
    else if (sign === 'K') keep(parameters === '2' ? '' : startOf(rows.get(row) ?? '', column));
    else if (sign === 'J') {
      keep(startOf(rows.get(row) ?? '', column));
      for (const one of rows.keys()) if (one > row) rows.delete(one);
    } else if (parameters === '?1049l') rows.clear();
  };
  return {
    write(text) {
      for (const [piece, parameters = '', sign] of text.matchAll(PIECE)) {
        if (sign !== undefined) control(parameters, sign);
        else if (piece === '\n') moveTo(row + 1, 0);
        else if (piece === '\r') column = 0;
        else if (!piece.startsWith('\u001b')) {
          // Ink erases the rest of a row before it writes into the row.
          keep(startOf(rows.get(row) ?? '', column).padEnd(column) + piece);
          column += stringWidth(piece);
        }
      }
    },
    row: () => row,
    rowsSince(from, columns, reflow) {
      if (reflow === 'none') return row - from;
      let count = 0;
      for (let one = from; one < row; one += 1) count += heightOf(rows.get(one) ?? '', columns);
      return count + heightOf(startOf(rows.get(row) ?? '', column + 1), columns) - 1;
    },
  };
}

/** Returns the beginning of a row, up to a column. */
function startOf(row: string, column: number): string {
  if (row.length <= column && stringWidth(row) <= column) return row;
  let [text, width] = ['', 0];
  for (const { segment } of new Intl.Segmenter().segment(row)) {
    width += stringWidth(segment);
    if (width > column) break;
    text += segment;
  }
  return text;
}

function heightOf(row: string, columns: number): number {
  return rowsOf([{ lead: '', hang: '', words: row, wrap: 'characters' }], columns, false).length;
}
