// Cuts tables with too many rows, because the libraries need about a second for each thousand of them.

import { readTags } from './read-tags.ts';

/** Maximum number of rows of all tables of a document together. */
const MOST_ROWS = 1_000;

/**
 * Returns the document with at most `most` rows in its tables. A row in place of the removed ones says how many are
 * missing.
 */
export function cutTables(html: string, most: number = MOST_ROWS): string {
  const gaps: Gap[] = [];
  let rows = 0;
  let gap: Gap | undefined;
  // Number of tables that are open inside of the removed rows.
  let inside = 0;
  const end = (at: number): void => {
    if (gap !== undefined) gaps.push({ ...gap, to: at });
    gap = undefined;
  };
  readTags(html, {
    open(name, at) {
      if (name === 'table' && gap !== undefined) inside += 1;
      if (name !== 'tr') return;
      rows += 1;
      if (gap !== undefined) gap = { ...gap, rows: gap.rows + 1 };
      else if (rows > most) [gap, inside] = [{ from: at, to: at, rows: 1 }, 0];
    },
    close(name, at) {
      if (name !== 'table' || gap === undefined) return;
      if (inside === 0) end(at);
      else inside -= 1;
    },
  });
  end(html.length);
  return withoutGaps(html, gaps, most);
}

/** Removed part of a document. */
interface Gap {
  readonly from: number;
  readonly to: number;
  readonly rows: number;
}

function withoutGaps(html: string, gaps: readonly Gap[], most: number): string {
  let at = 0;
  const parts: string[] = [];
  for (const { from, to, rows } of gaps) {
    const words = `[table cut: the tables of a page are shown up to row ${most}, and ${rows} more rows follow here; raw returns the source]`;
    parts.push(html.slice(at, from), `<tr><td>${words}</td></tr>`);
    at = to;
  }
  return [...parts, html.slice(at)].join('');
}
