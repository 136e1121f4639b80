// Lines that a person must have seen before a question: a screenful at a time, each character visible, nothing left out.

import type { Input } from './input.ts';
import { visibleText } from './visible-text.ts';

/** What to show on, and how much fits. */
export interface PagedScreen {
  readonly input: Input;
  readonly signal: AbortSignal;
  /** Rows of the terminal. */
  readonly rows: number;
}

/**
 * Shows the lines above the next question. A line that is wider than the terminal goes on in rows that begin with
 * `    | `, so that none of them looks like a line of its own. After each page but the last one a person presses Enter for
 * the next page. `stopped`: the person answered `q` or `n` before the last page was shown; this counts as a no.
 *
 * @throws when the signal aborts.
 */
export async function showPaged(lines: readonly string[], asking: PagedScreen): Promise<'shown' | 'stopped'> {
  const { input, signal } = asking;
  const pages = pagesOf(
    lines.flatMap((line) => rowsOf(line, input.columns)),
    Math.max(FEWEST_ROWS, asking.rows - QUESTION_ROWS),
  );
  for (const [index, page] of pages.entries()) {
    input.show(`${page.join('\n')}\n`);
    if (index === pages.length - 1) return 'shown';
    const answer = await input.ask(`[page ${index + 1} of ${pages.length}] ${PROMPT}`, signal);
    if (/^\s*(q(uit)?|no?)\s*$/i.test(answer)) return 'stopped';
  }
  return 'shown';
}

const PROMPT = 'Enter: next page, q: stop (counts as no) ';
const CONTINUED = '    | ';
/** Rows that stay free below a page, for the question. */
const QUESTION_ROWS = 4;
const FEWEST_ROWS = 4;
const FEWEST_COLUMNS = 20;

function pagesOf(rows: readonly string[], size: number): readonly (readonly string[])[] {
  const pages: (readonly string[])[] = [];
  for (let start = 0; start < rows.length; start += size) pages.push(rows.slice(start, start + size));
  return pages;
}

/** One column stays free: a terminal may break a row that fills the last one. */
function rowsOf(line: string, columns: number): readonly string[] {
  const width = Math.max(FEWEST_COLUMNS, columns - 1);
  const rows: string[] = [];
  let [row, used] = ['', 0];
  for (const character of visibleText(line)) {
    const cells = cellsOf(character);
    if (used + cells > width) {
      rows.push(row);
      [row, used] = [CONTINUED, CONTINUED.length];
    }
    row += character;
    used += cells;
  }
  return [...rows, row];
}

/** Two for all but ASCII: too many is safe, too few would push rows off the screen. */
function cellsOf(character: string): number {
  return /^[\x20-\x7e]$/.test(character) ? 1 : 2;
}
