// Fits a table into the width of a terminal: one row for each entry. Cells become shorter and columns are left out in
// the order that the table names.

import stringWidth from 'string-width';

import { plainText } from './plain-text.ts';
import type { Shown } from './shown.ts';
import { render } from './shown.ts';

/** Step that makes a table narrower. The column is named by its head. */
export type Narrowing =
  /** Replaces the cells of a column by shorter ones. */
  | { readonly column: string; readonly cells: readonly Shown[] }
  /** Cuts the cells of a column. At least this number of terminal columns is kept. */
  | { readonly column: string; readonly least: number }
  /** Leaves the column out. */
  | { readonly column: string; readonly leftOut: true };

/** Columns of a table, with the cells of each. */
export interface FittedColumn {
  readonly name: string;
  readonly cells: readonly Shown[];
}

/** Table that fits, and the names of the columns that were left out. */
export interface FittedTable {
  readonly columns: readonly FittedColumn[];
  readonly leftOut: readonly string[];
}

/** Spaces between two columns of a terminal table. */
export const GAP = '  ';

interface Column extends FittedColumn {
  readonly natural: number;
  /** Number of terminal columns that remain when the cells are cut. */
  readonly least: number;
}

/**
 * Applies steps until the columns fit into the width. Columns that are cut get the space that remains. A table that
 * does not fit after all steps is returned at its narrowest.
 */
export function fitTable(columns: readonly FittedColumn[], steps: readonly Narrowing[], width: number): FittedTable {
  let fitting = columns.map(columnOf);
  const leftOut: string[] = [];
  for (const step of steps) {
    if (widthOf(fitting) <= width) break;
    if ('leftOut' in step && fitting.some(({ name }) => name === step.column)) leftOut.push(step.column);
    fitting = fitting.flatMap((column) => (column.name === step.column ? narrowed(column, step) : [column]));
  }
  let spare = Math.max(0, width - widthOf(fitting));
  const fitted = fitting.map(({ name, cells, natural, least }): FittedColumn => {
    const given = Math.min(natural, least + spare);
    spare -= given - least;
    return given >= natural ? { name, cells } : { name, cells: cells.map((cell) => cutToWidth(cell, given)) };
  });
  return { columns: fitted, leftOut };
}

function columnOf({ name, cells }: FittedColumn): Column {
  let natural = stringWidth(name);
  for (const cell of cells)
    for (const line of render(cell, false).split('\n')) natural = Math.max(natural, stringWidth(line));
  return { name, cells, natural, least: natural };
}

function narrowed(column: Column, step: Narrowing): readonly Column[] {
  if ('leftOut' in step) return [];
  if ('cells' in step) return [columnOf({ name: column.name, cells: step.cells })];
  return [{ ...column, least: Math.min(column.natural, step.least) }];
}

function widthOf(columns: readonly Column[]): number {
  return columns.reduce((sum, { least }) => sum + least, 0) + GAP.length * Math.max(0, columns.length - 1);
}

const GRAPHEMES = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/** Returns a cell as one line of at most `width` terminal columns. The end of a longer one is replaced by `…`. */
export function cutToWidth(cell: Shown, width: number): Shown {
  const text = plainText(render(cell, false)).replaceAll(/[\t\n]+/g, ' ');
  if (stringWidth(text) <= width) return cell;
  let kept = '';
  let used = 1;
  for (const { segment } of GRAPHEMES.segment(text)) {
    used += stringWidth(segment);
    if (used > width) break;
    kept += segment;
  }
  return `${kept.trimEnd()}…`;
}
