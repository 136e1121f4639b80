// Rows in which the editor shows its text. A row breaks after a space where possible, and never inside a grapheme.

import { markedText } from '../../../present/marked-text.ts';
import { afterGrapheme, cellsOf, graphemesOf, isUsual } from './graphemes.ts';

/** A piece of a row: a grapheme, or the label of a folded paste or an image. */
export interface RowPiece {
  readonly from: number;
  readonly to: number;
  readonly shown: string;
  readonly cells: number;
  readonly isLabel: boolean;
}

/** A row of the editor: the text from `from` to `to`, without the line break. */
export interface EditorRow {
  readonly from: number;
  readonly to: number;
  readonly pieces: readonly RowPiece[];
}

/** Returns the label that is shown in place of a grapheme. `undefined` for usual text. */
export type LabelOf = (grapheme: string) => string | undefined;

/** Lays out a text in rows of at most `columns` cells. An empty text has one row. */
export function layoutRows(text: string, columns: number, labelOf: LabelOf): readonly EditorRow[] {
  const rows: EditorRow[] = [];
  let from = 0;
  for (const line of text.split('\n')) {
    rows.push(...lineRows(line, from, Math.max(1, columns), labelOf));
    from += line.length + 1;
  }
  return rows;
}

/** Row and column of a position, from 0. A position between two rows is at the beginning of the second row. */
export function cellAt(rows: readonly EditorRow[], at: number): { readonly row: number; readonly column: number } {
  const row = Math.max(
    0,
    rows.findLastIndex(({ from }) => from <= at),
  );
  const before = rows[row]?.pieces.filter(({ to }) => to <= at) ?? [];
  return { row, column: widthOf(before) };
}

/** Returns the position in a row that is nearest to a column, without a position that belongs to the next row. */
export function positionAt(rows: readonly EditorRow[], row: number, column: number): number {
  const found = rows[row];
  if (found === undefined) return 0;
  let cells = 0;
  for (const piece of found.pieces) {
    if (cells + piece.cells > column) return piece.from;
    cells += piece.cells;
  }
  const continues = rows[row + 1]?.from === found.to;
  return continues ? (found.pieces.at(-1)?.from ?? found.from) : found.to;
}

function lineRows(line: string, start: number, columns: number, labelOf: LabelOf): readonly EditorRow[] {
  const rows: EditorRow[] = [];
  let pieces: RowPiece[] = [];
  let cells = 0;
  const close = (rest: RowPiece[]): void => {
    const from = rows.at(-1)?.to ?? start;
    rows.push({ from, to: pieces.at(-1)?.to ?? from, pieces });
    pieces = rest;
    cells = widthOf(rest);
  };
  for (const piece of piecesOf(line, start, columns, labelOf)) {
    if (pieces.length > 0 && cells + piece.cells > columns) {
      const cut = piece.shown === ' ' ? pieces.length : breakIn(pieces);
      close(pieces.splice(cut));
      if (pieces.length > 0 && cells + piece.cells > columns) close([]);
    }
    pieces.push(piece);
    cells += piece.cells;
  }
  close([]);
  return rows;
}

/** Returns the number of pieces before the best break: those up to the last space, otherwise all. */
function breakIn(pieces: readonly RowPiece[]): number {
  const space = pieces.findLastIndex(({ shown, cells }) => shown === ' ' || cells === 2);
  return space === -1 ? pieces.length : space + 1;
}

function piecesOf(line: string, start: number, columns: number, labelOf: LabelOf): readonly RowPiece[] {
  let at = start;
  return graphemesOf(line).map((grapheme) => {
    const from = at;
    at += grapheme.length;
    const label = labelOf(grapheme);
    const shown = label === undefined ? shownAs(grapheme, columns) : shortenText(label, columns);
    return { from, to: at, shown, cells: widthOfText(shown), isLabel: label !== undefined };
  });
}

/** Returns a grapheme as it is shown. An invisible character is its mark, as in a question before a call. */
function shownAs(grapheme: string, columns: number): string {
  if (grapheme === '\t') return ' '.repeat(cellsOf('\t'));
  return isUsual(grapheme) ? grapheme : shortenText(markedText(grapheme), columns);
}

/** Returns the text on one line, or its beginning and `…` if it needs more than `columns` cells. */
export function shortenText(text: string, columns: number): string {
  const line = text.replaceAll(/[\t\n\r]/g, ' ');
  if (widthOfText(line) <= columns) return line;
  let end = 0;
  for (let next = afterGrapheme(line, 0); widthOfText(line.slice(0, next)) < columns;) {
    end = next;
    next = afterGrapheme(line, next);
  }
  return `${line.slice(0, end)}…`;
}

/** Returns the cells that a text takes. */
export function widthOfText(text: string): number {
  return graphemesOf(text).reduce((sum, grapheme) => sum + cellsOf(grapheme), 0);
}

function widthOf(pieces: readonly RowPiece[]): number {
  return pieces.reduce((sum, { cells }) => sum + cells, 0);
}
