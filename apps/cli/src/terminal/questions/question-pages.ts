// Pages of a question: everything that the user must see before a yes. A question that does not fit on the screen is
// divided into pages.

import type { Question } from '@tidemark/kit';

import type { Shown, Style } from '../../frame/shown.ts';
import { render, withStyle } from '../../frame/shown.ts';
import { questionText } from '../../present/question-text.ts';
import { diffStyle } from '../drawing/diff-lines.ts';

/** Size of the room for a question, in columns and rows. */
export interface QuestionSize {
  readonly columns: number;
  readonly rows: number;
}

/** Rows below each page: the keys or the typed text, and a line for a problem. */
export const FOOT_ROWS = 2;

const FEWEST_COLUMNS = 16;
const FEWEST_ROWS = FOOT_ROWS + 2;

/**
 * Returns the pages of a question. Each page, together with `FOOT_ROWS` rows below it, fits into the size. The last page
 * ends with the answers. If the terminal is too small for a question, returns no page.
 */
export function questionPages(question: Question, { columns, rows }: QuestionSize): readonly (readonly Shown[])[] {
  if (columns < FEWEST_COLUMNS || rows < FEWEST_ROWS) return [];
  const { head, body, grants: answers, prompt } = questionText(question, columns);
  const isDiff = question.about === 'call' && question.preview.kind === 'diff';
  const title = head.length === 0 ? [prompt.replace(/ \(y\/n\) $/, '')] : head;
  const shown = [...title.map((row) => withStyle('bold', row)), ...(isDiff ? colouredRows(body) : body)];
  const most = rows - FOOT_ROWS;
  if (shown.length + answers.length <= most) return [[...shown, ...answers]];
  const pages = dividedInto(shown, most);
  const last = pages.at(-1) ?? [];
  if (last.length + answers.length <= most) return [...pages.slice(0, -1), [...last, ...answers]];
  return [...pages, ...dividedInto([...title, ...answers], most)];
}

/**
 * Returns the page of another size that shows the same place: the last page for the last page, otherwise the page with the
 * first line of the shown page. It is never a later place, so no row is left out.
 */
export function samePlace(
  before: readonly (readonly Shown[])[],
  page: number,
  after: readonly (readonly Shown[])[],
): number {
  if (page < 0 || page >= before.length - 1) return page < 0 ? 0 : Math.max(0, after.length - 1);
  const line = linesIn(before.slice(0, page)) - (continues(before[page]?.[0]) ? 1 : 0);
  const later = after.findIndex((_, index) => linesIn(after.slice(0, index + 1)) > line);
  return later === -1 ? Math.max(0, after.length - 1) : later;
}

/** Returns the number of lines on the pages. A row that continues a long line does not count. */
function linesIn(pages: readonly (readonly Shown[])[]): number {
  return pages.flat().filter((row) => !continues(row)).length;
}

function continues(row: Shown | undefined): boolean {
  return row !== undefined && render(row, false).startsWith('┆');
}

function dividedInto(rows: readonly Shown[], size: number): readonly (readonly Shown[])[] {
  return Array.from({ length: Math.ceil(rows.length / size) }, (_, page) => rows.slice(page * size, (page + 1) * size));
}

/** Colours the rows of a unified diff. A row that continues a long line has the colour of its line. */
function colouredRows(rows: readonly string[]): readonly Shown[] {
  let style: Style | undefined;
  return rows.map((row) => {
    if (row.startsWith('│')) style = diffStyle(row.slice(2));
    return style === undefined ? row : withStyle(style, row);
  });
}
