// Rows that a person must have seen before a question: a screenful at a time, nothing left out.

import type { Input } from './input.ts';

/** What to show on. */
export interface PagedScreen {
  readonly input: Input;
  readonly signal: AbortSignal;
}

/**
 * Shows the rows above the next question. Each fits the terminal and holds nothing that steers it. After each page but the
 * last one a person presses Enter for the next page. `stopped`: the person answered `q` or `n` before the last page was shown;
 * this counts as a no.
 *
 * @throws when the signal aborts.
 */
export async function showPaged(rows: readonly string[], { input, signal }: PagedScreen): Promise<'shown' | 'stopped'> {
  const pages = pagesOf(rows, Math.max(FEWEST_ROWS, input.rows - QUESTION_ROWS));
  for (const [index, page] of pages.entries()) {
    input.show(`${page.join('\n')}\n`);
    if (index === pages.length - 1) return 'shown';
    const answer = await input.ask(`[page ${index + 1} of ${pages.length}] ${PROMPT}`, signal);
    if (/^\s*(q(uit)?|no?)\s*$/i.test(answer)) return 'stopped';
  }
  return 'shown';
}

const PROMPT = 'Enter: next page, q: stop (counts as no) ';
/** Rows that stay free below a page, for the question. */
const QUESTION_ROWS = 4;
const FEWEST_ROWS = 4;

function pagesOf(rows: readonly string[], size: number): readonly (readonly string[])[] {
  const pages: (readonly string[])[] = [];
  for (let start = 0; start < rows.length; start += size) pages.push(rows.slice(start, start + size));
  return pages;
}
