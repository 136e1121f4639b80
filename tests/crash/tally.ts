// Counts of a run of the fault matrix. Every run prints its counts, and `npm run torture` collects them from all files.

import { appendFileSync } from 'node:fs';

/** Counts of one row of the matrix, by label. A count of failures is always 0, because the test fails otherwise. */
export interface Counts {
  readonly [what: string]: number;
}

/** True if the whole fault matrix is tried, as `npm run torture` does. */
export const WHOLE: boolean = process.env['TIDEMARK_TORTURE'] === '1';

/**
 * Timeout that ends a test that hangs. It is so long that a slow machine never reaches it, so the result of a test does
 * not depend on speed.
 */
export const PATIENCE: { readonly timeout: number } = { timeout: (WHOLE ? 24 : 1) * 3_600_000 };

/**
 * Prints the counts of one row of the matrix. Appends them to the file named by TIDEMARK_COUNTS, if set, for a summary.
 */
export function tally(row: string, counts: Counts): void {
  const parts = Object.entries(counts).map(([what, count]) => `${count} ${what}`);
  process.stdout.write(`torture: ${row}: ${parts.join(', ')}\n`);
  const path = process.env['TIDEMARK_COUNTS'];
  if (path !== undefined) appendFileSync(path, `${JSON.stringify({ row, counts })}\n`);
}
