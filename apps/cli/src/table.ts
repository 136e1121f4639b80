// Rows for people: a table on a terminal, tab-separated lines when piped.

import Table from 'cli-table3';

import type { Shown } from './shown.ts';
import { render } from './shown.ts';

/** A head and its rows; every row has as many cells as the head, and all have equally many where it is empty. */
export interface TableOf {
  readonly head: readonly string[];
  readonly rows: readonly (readonly Shown[])[];
  /** Columns of numbers, by index, set flush right on a terminal. */
  readonly numbers?: readonly number[];
}

/** A table without vertical lines, as wide as its content. */
export function terminalTable(table: TableOf, colour: boolean): string {
  const made = new Table({
    head: table.head.map((name) => render({ style: 'bold', text: name }, colour)),
    colAligns: (table.rows[0] ?? table.head).map((_cell, index) => (table.numbers?.includes(index) ? 'right' : 'left')),
    style: { head: [], border: [], 'padding-left': 0, 'padding-right': 2, compact: true },
    chars: BORDERLESS,
  });
  made.push(...table.rows.map((row) => row.map((cell) => render(cell, colour))));
  return withoutTrailingSpace(made.toString());
}

/** One line a row, cells apart by a tab, the head first: for `cut`, `awk` and people who grep. */
export function plainTable(table: TableOf): string {
  const rows = table.head.length === 0 ? table.rows : [table.head, ...table.rows];
  return rows.map((row) => row.map((cell) => oneLine(render(cell, false))).join('\t')).join('\n');
}

function oneLine(text: string): string {
  return text.replaceAll(/[\t\n]+/g, ' ');
}

function withoutTrailingSpace(text: string): string {
  return text.replaceAll(/[^\S\n]+$/gm, '');
}

const BORDERLESS = {
  top: '',
  'top-mid': '',
  'top-left': '',
  'top-right': '',
  bottom: '',
  'bottom-mid': '',
  'bottom-left': '',
  'bottom-right': '',
  left: '',
  'left-mid': '',
  mid: '',
  'mid-mid': '',
  right: '',
  'right-mid': '',
  middle: '',
};
