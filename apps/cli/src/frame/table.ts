// Formats rows for people: a table on a terminal, or lines with tabs if the output is piped. The work grows in
// proportion to the number of cells, because a session may have tens of thousands of steps.

import stringWidth from 'string-width';

import type { Narrowing } from './fit-table.ts';
import { fitTable, GAP } from './fit-table.ts';
import type { Shown } from './shown.ts';
import { render } from './shown.ts';
import { wrapWords } from './wrap-words.ts';

/**
 * Table with a head and rows. Every row has as many cells as the head. If the head is empty, all rows have the same
 * number of cells.
 */
export interface TableOf {
  readonly head: readonly string[];
  readonly rows: readonly (readonly Shown[])[];
  /** Indexes of the columns that contain numbers. A terminal table aligns them to the right. */
  readonly numbers?: readonly number[];
  /** Indexes of the columns that a terminal table leaves out if all their cells are equal. */
  readonly optional?: readonly number[];
  /** Steps that a terminal table takes, in order, until it fits into the terminal. */
  readonly narrowing?: readonly Narrowing[];
}

/**
 * Formats a table without vertical lines, as wide as its content. A cell may have several lines. With `columns`, the
 * steps of the table make it fit, and a last line names the columns that were left out.
 */
export function terminalTable(whole: TableOf, colour: boolean, columns: number = Infinity): string {
  const { table, leftOut } = fitted(withoutEqual(whole), columns);
  const head = table.head.map((name) => cellOf(name === '' ? '' : { style: 'bold', text: name }, colour));
  const rows = table.rows.map((row) => row.map((cell) => cellOf(cell, colour)));
  const all = head.length === 0 ? rows : [head, ...rows];
  const widths = widthsOf(all);
  const numbers = new Set(table.numbers);
  const lines = all.map((row) => rowText(row, widths, numbers));
  if (leftOut.length > 0)
    lines.push(...leftOutLines(leftOut, columns).map((text) => render({ style: 'dim', text }, colour)));
  return lines.join('\n');
}

function leftOutLines(names: readonly string[], columns: number): readonly string[] {
  return wrapWords(`not shown: ${names.join(', ')} (--json shows all)`, columns);
}

function fitted(table: TableOf, width: number): { readonly table: TableOf; readonly leftOut: readonly string[] } {
  const { head, rows, numbers = [], narrowing = [] } = table;
  if (narrowing.length === 0 || width === Infinity) return { table, leftOut: [] };
  const whole = head.map((name, index) => ({ name, cells: rows.map((row) => row[index] ?? '') }));
  const { columns, leftOut } = fitTable(whole, narrowing, width);
  const names = columns.map(({ name }) => name);
  return {
    table: {
      head: names,
      rows: rows.map((_, index) => columns.map(({ cells }) => cells[index] ?? '')),
      numbers: numbers.map((column) => names.indexOf(head[column] ?? '')),
    },
    leftOut,
  };
}

function withoutEqual({ head, rows, numbers = [], optional = [], narrowing = [] }: TableOf): TableOf {
  const isEqual = (column: number): boolean =>
    new Set(rows.map((row) => render(row[column] ?? '', false))).size <= 1 && rows.length > 1;
  const left = new Set(optional.filter(isEqual));
  const kept = Array.from({ length: rows[0]?.length ?? head.length }, (_, column) => column).filter(
    (column) => !left.has(column),
  );
  const keep = <Cell>(cells: readonly Cell[]): readonly Cell[] => cells.filter((_, column) => !left.has(column));
  return { head: keep(head), rows: rows.map(keep), numbers: numbers.map((column) => kept.indexOf(column)), narrowing };
}

/** Formats one line per row, with the head first and cells separated by tabs, for `cut`, `awk` and `grep`. */
export function plainTable(table: TableOf): string {
  const rows = table.head.length === 0 ? table.rows : [table.head, ...table.rows];
  return rows.map((row) => row.map((cell) => oneLine(render(cell, false))).join('\t')).join('\n');
}

/** One line of a cell, with its width in terminal columns. */
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
