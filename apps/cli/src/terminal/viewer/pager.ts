// Pager: the place in a text that the viewer shows, and its movement. A place is a line and a row inside that line,
// because a long line needs several rows.

import type { Look } from '../../frame/shown.ts';
import { rowsOf } from '../drawing/rows.ts';
import type { LineSource } from '../state/viewer-entry.ts';

/** Place in a text: the index of a line, and the index of one of its rows. */
export interface TextPlace {
  readonly line: number;
  readonly row: number;
}

/** Area of the screen in which the text is shown. */
export interface TextArea {
  readonly columns: number;
  readonly height: number;
  readonly colour: Look;
}

/** Beginning of a text. */
export const TEXT_BEGIN: TextPlace = { line: 0, row: 0 };

interface PlacedRow {
  readonly place: TextPlace;
  readonly text: string;
}

/** Returns the rows of the page that begins at a place. The page is shorter at the end of the text. */
export async function pageRows(source: LineSource, top: TextPlace, area: TextArea): Promise<readonly string[]> {
  return (await rowsAfter(source, top, area, area.height)).map(({ text }) => text);
}

/**
 * Returns the place that is `rows` rows after a place, or before it if the number is negative. The last page is full if
 * the text is long enough.
 */
export async function movedBy(source: LineSource, top: TextPlace, rows: number, area: TextArea): Promise<TextPlace> {
  if (rows < 0) return rowsBefore(source, top, area, -rows);
  const after = await rowsAfter(source, top, area, rows + 1);
  const last = await lastPage(source, area);
  // A search can show a place after the beginning of the last page. It stays there.
  if (isBefore(last, top)) return top;
  const next = after.at(-1)?.place ?? top;
  return isBefore(next, last) ? next : last;
}

/** Returns the first place of the last page. */
export async function lastPage(source: LineSource, area: TextArea): Promise<TextPlace> {
  return rowsBefore(source, { line: source.length, row: 0 }, area, area.height);
}

function isBefore(one: TextPlace, other: TextPlace): boolean {
  return one.line < other.line || (one.line === other.line && one.row < other.row);
}

async function rowsAfter(
  source: LineSource,
  { line, row }: TextPlace,
  area: TextArea,
  count: number,
): Promise<readonly PlacedRow[]> {
  // Each line has at least one row, so these lines are enough.
  const rows = await placedRows(source, line, line + row + count, area);
  return rows.slice(row, row + count);
}

async function rowsBefore(
  source: LineSource,
  { line, row }: TextPlace,
  area: TextArea,
  count: number,
): Promise<TextPlace> {
  const rows = await placedRows(source, Math.max(0, line - count), line + (row > 0 ? 1 : 0), area);
  const before = rows.filter(({ place }) => place.line < line || place.row < row);
  return before.at(-count)?.place ?? before[0]?.place ?? TEXT_BEGIN;
}

async function placedRows(
  source: LineSource,
  from: number,
  to: number,
  { columns, colour }: TextArea,
): Promise<readonly PlacedRow[]> {
  const lines = await source.read(from, Math.min(to, source.length));
  return lines.flatMap((line, index) =>
    rowsOf([line], columns, colour).map((text, row) => ({ place: { line: from + index, row }, text })),
  );
}
