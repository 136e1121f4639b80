// Tables of answers: aligned columns if they fit into the terminal, else one line for each cell with its heading.

import stringWidth from 'string-width';
import wrapAnsi from 'wrap-ansi';

import { plainText } from '../../frame/plain-text.ts';
import type { Shown } from '../../frame/shown.ts';
import { render, withStyle } from '../../frame/shown.ts';
import type { Line } from '../state/line.ts';

/** A row of a table. */
export interface TableRow {
  readonly isHead: boolean;
  readonly cells: readonly MarkdownCell[];
}

/** A cell of a table. */
export interface MarkdownCell {
  readonly words: readonly Shown[];
}

const BETWEEN = ' │ ';
/** Width below which a column is not shortened any more. */
const NARROWEST = 8;

/** Returns the lines of a table for this number of columns. */
export function tableLines(rows: readonly TableRow[], columns: number): readonly Line[] {
  const widths = columnWidths(rows, columns);
  return widths === undefined ? recordLines(rows) : rows.flatMap((row) => alignedLines(row, widths));
}

/**
 * Returns the width of each column. If the table does not fit, narrow columns keep their width, and the wide ones share
 * the rest. Returns `undefined` if a column would become too narrow.
 */
function columnWidths(rows: readonly TableRow[], columns: number): readonly number[] | undefined {
  const count = Math.max(...rows.map(({ cells }) => cells.length));
  const natural = Array.from({ length: count }, (_, index) =>
    Math.max(1, ...rows.map((row) => widthOf(row.cells[index]))),
  );
  let room = columns - BETWEEN.length * (count - 1);
  let left = count;
  const widths = new Map<number, number>();
  for (const [index, width] of [...natural.entries()].toSorted((one, other) => one[1] - other[1])) {
    const given = Math.min(width, Math.floor(room / left));
    if (given < Math.min(width, NARROWEST)) return undefined;
    widths.set(index, given);
    room -= given;
    left -= 1;
  }
  return natural.map((width, index) => widths.get(index) ?? width);
}

function widthOf(cell: MarkdownCell | undefined): number {
  return cell === undefined ? 0 : stringWidth(render(cell.words, false));
}

function alignedLines({ isHead, cells }: TableRow, widths: readonly number[]): readonly Line[] {
  const columns = widths.map((width, index) => fitted(cells[index], width));
  const height = Math.max(1, ...columns.map((rows) => rows.length));
  const lines = Array.from({ length: height }, (_, at) =>
    widths.map((width, index) => padded(columns[index]?.[at] ?? '', width, index === widths.length - 1)),
  ).map((row) =>
    row.flatMap((cell, index): readonly Shown[] => (index === 0 ? [cell] : [withStyle('dim', BETWEEN), cell])),
  );
  if (!isHead) return lines;
  return [...lines, withStyle('dim', widths.map((width) => '─'.repeat(width)).join('─┼─'))];
}

/** Returns a cell as rows of at most this width. The styles of a cell that needs several rows are dropped. */
function fitted(cell: MarkdownCell | undefined, width: number): readonly Shown[] {
  if (cell === undefined) return [''];
  if (widthOf(cell) <= width) return [cell.words];
  return wrapAnsi(plainText(render(cell.words, false)), width, { hard: true }).split('\n');
}

function padded(cell: Shown, width: number, isLast: boolean): Shown {
  const missing = width - stringWidth(render(cell, false));
  return isLast || missing <= 0 ? cell : [cell, ' '.repeat(missing)];
}

function recordLines(rows: readonly TableRow[]): readonly Line[] {
  const head = rows.find(({ isHead }) => isHead);
  return rows
    .filter((row) => row !== head)
    .flatMap(({ cells }, at): readonly Line[] => [
      ...(at === 0 ? [] : ['']),
      ...cells.map((cell, index): Line => ({
        lead: '',
        hang: '  ',
        words: [head?.cells[index]?.words ?? '', ': ', cell.words],
      })),
    ]);
}
