// Rows for people: a table on a terminal, tab-separated lines when piped. The work follows the number of cells: a session may
// have tens of thousands of steps.

import stringWidth from 'string-width';

import type { Shown } from './shown.ts';
import { render } from './shown.ts';

/** A head and its rows; every row has as many cells as the head, and all have equally many where it is empty. */
export interface TableOf {
  readonly head: readonly string[];
  readonly rows: readonly (readonly Shown[])[];
  /** Columns of numbers, by index, set flush right on a terminal. */
  readonly numbers?: readonly number[];
}

/** Spaces between two columns. */
const GAP = '  ';

/** A table without vertical lines, as wide as its content. A cell may have several lines. */
export function terminalTable(table: TableOf, colour: boolean): string {
  const head = table.head.map((name) => cellOf(name === '' ? '' : { style: 'bold', text: name }, colour));
  const rows = table.rows.map((row) => row.map((cell) => cellOf(cell, colour)));
  const all = head.length === 0 ? rows : [head, ...rows];
  const widths = widthsOf(all);
  const numbers = new Set(table.numbers);
  return all.map((row) => rowText(row, widths, numbers)).join('\n');
}

/** One line a row, cells apart by a tab, the head first: for `cut`, `awk` and people who grep. */
export function plainTable(table: TableOf): string {
  const rows = table.head.length === 0 ? table.rows : [table.head, ...table.rows];
  return rows.map((row) => row.map((cell) => oneLine(render(cell, false))).join('\t')).join('\n');
}

/** A line of a cell, and how many columns of a terminal it takes. */
interface CellLine {
  readonly text: string;
  readonly width: number;
}

type TableCell = readonly CellLine[];

function cellOf(shown: Shown, colour: boolean): TableCell {
  const lines = render(shown, colour).split('\n');
  return lines.map((text) => ({ text, width: stringWidth(text) }));
}

function widthsOf(rows: readonly (readonly TableCell[])[]): readonly number[] {
  const widths: number[] = [];
  for (const row of rows)
    for (const [column, cell] of row.entries())
      for (const { width } of cell) widths[column] = Math.max(widths[column] ?? 0, width);
  return widths;
}

function rowText(row: readonly TableCell[], widths: readonly number[], numbers: ReadonlySet<number>): string {
  const height = Math.max(1, ...row.map((cell) => cell.length));
  const lines = Array.from({ length: height }, (_, line) =>
    row.map((cell, column) => padCell(cell[line], widths[column] ?? 0, numbers.has(column))).join(GAP),
  );
  return lines.map((line) => line.replace(/[^\S\n]+$/, '')).join('\n');
}

function padCell(line: CellLine | undefined, width: number, isNumber: boolean): string {
  const { text, width: own } = line ?? { text: '', width: 0 };
  const space = ' '.repeat(width - own);
  return isNumber ? `${space}${text}` : `${text}${space}`;
}

function oneLine(text: string): string {
  return text.replaceAll(/[\t\n]+/g, ' ');
}
