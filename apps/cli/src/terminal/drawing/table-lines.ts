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
 * Returns the width of each column. Wide columns are shortened until the table fits. Returns `undefined` if it does not
 * fit then.
 */
function columnWidths(rows: readonly TableRow[], columns: number): readonly number[] | undefined {
  const count = Math.max(...rows.map(({ cells }) => cells.length));
  const natural = Array.from({ length: count }, (_, index) =>
    Math.max(1, ...rows.map((row) => widthOf(row.cells[index]))),
  );
  const room = columns - BETWEEN.length * (count - 1);
  const sum = (widths: readonly number[]): number => widths.reduce((total, width) => total + width, 0);
  if (sum(natural) <= room) return natural;
  const least = natural.map((width) => Math.min(width, NARROWEST));
  if (sum(least) > room) return undefined;
  const widths = [...least];
  // Gives the free columns to the column that is shortened most.
  for (let free = room - sum(least); free > 0; free -= 1) {
    const lacks = widths.map((width, index) => (natural[index] ?? 0) - width);
    const index = lacks.indexOf(Math.max(...lacks));
    widths[index] = (widths[index] ?? 0) + 1;
  }
  return widths;
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
