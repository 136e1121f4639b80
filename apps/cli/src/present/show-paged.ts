// Shows rows that a user must see before a question. Shows all rows, one screen at a time.

import { foldLine } from './fold-line.ts';
import type { Input } from '../frame/input.ts';

/** Terminal on which `showPaged` shows the rows, and the abort signal. */
export interface PagedScreen {
  readonly input: Input;
  readonly signal: AbortSignal;
  /** Number of rows of the question that follows the last page. */
  readonly below: number;
}

/**
 * Shows the rows that must be read before the next question. Each row must fit into the width of the terminal and
 * contain no control sequences. After each page, a line asks the user to press Enter. Enter shows the next page or the
 * question. If the last page and the question fit on the screen together, this line is omitted after the last page.
 * Returns `stopped` if the user answered `q` or `n` after a page. This counts as a denial.
 *
 * @throws when the signal aborts.
 */
export async function showPaged(
  rows: readonly string[],
  { input, signal, below }: PagedScreen,
): Promise<'shown' | 'stopped'> {
  const pages = pagesOf(rows, Math.max(1, input.rows - stopRows(input)));
  for (const [index, page] of pages.entries()) {
    input.show(`${page.join('\n')}\n`);
    const isLast = index === pages.length - 1;
    if (isLast && page.length + below + noticeRows(input) <= input.rows) return 'shown';
    const answer = await input.ask(promptOf(index + 1, pages.length, input), signal);
    if (/^\s*(q(uit)?|no?)\s*$/i.test(answer)) return 'stopped';
  }
  return 'shown';
}

type TerminalSize = Pick<Input, 'columns' | 'rows'>;

/**
 * Returns the notice that text typed before a question was discarded. On a small terminal the notice is short. On a
 * very small terminal it is empty.
 */
export function discardNotice({ columns, rows }: TerminalSize): string {
  if (rows < FEWEST_ROWS + 1) return '';
  return columns < NARROW || rows < LOW ? '(ignored)' : '(text typed before this question is ignored)';
}

/** Returns the number of rows that `Input.ask` can write above a question for the notice about discarded text. */
export function noticeRows(size: TerminalSize): number {
  const notice = discardNotice(size);
  return notice === '' ? 0 : foldLine(notice, Math.max(1, size.columns - 1)).length;
}

/** Returns true if the terminal is too small for one row of a page and the prompt for the next page. */
export function isTooSmall({ columns, rows }: TerminalSize): boolean {
  return columns < FEWEST_COLUMNS || rows < FEWEST_ROWS;
}

/** Message shown when the terminal is too small. The question then counts as denied. */
export const TOO_SMALL = 'The terminal is too small to show the question, so the answer is no.\n';

const FEWEST_COLUMNS = 8;
const FEWEST_ROWS = 4;
/** Number of rows below which the short notice is shown. */
const LOW = 10;
/** Minimum number of rows that remain free below a page for its prompt. */
const FEWEST_FREE = 4;
/** Number of columns below which the short prompt is shown. */
const NARROW = 64;
/** Number of columns below which the shortest prompt is shown. */
const TINY = 20;

function promptOf(page: number, pages: number, { columns }: Input): string {
  if (columns < TINY) return `${page} q? `;
  if (columns < NARROW) return `${page}/${pages} Enter/q: `;
  const next = page === pages ? 'continue' : 'next page';
  return `[page ${page} of ${pages}] Enter: ${next}, q: stop (counts as no) `;
}

function stopRows(input: Input): number {
  const prompt = foldLine(promptOf(9_999, 9_999, input), Math.max(1, input.columns - 1)).length;
  return Math.max(Math.min(FEWEST_FREE, input.rows - 1), prompt + noticeRows(input));
}

function pagesOf(rows: readonly string[], size: number): readonly (readonly string[])[] {
  const pages: (readonly string[])[] = [];
  for (let start = 0; start < rows.length; start += size) pages.push(rows.slice(start, start + size));
  return pages;
}
