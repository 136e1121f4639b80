// What a run of the fault matrix counts. A reduced run prints it; `npm run torture` gathers it from all files.

import { appendFileSync } from 'node:fs';

/** What was tried, and how often; what went wrong is 0 or the test has failed. */
export interface Counts {
  readonly [what: string]: number;
}

/** Whether the matrix is tried whole. */
export const WHOLE: boolean = process.env['TIDEMARK_TORTURE'] === '1';

/** Ends a test that hangs. It is so far away that no load reaches it: whether a test passes does not depend on speed. */
export const PATIENCE: { readonly timeout: number } = { timeout: (WHOLE ? 24 : 1) * 3_600_000 };

/** Prints the counts of one row of the matrix, and leaves them for the one who sums up. */
export function tally(row: string, counts: Counts): void {
  const said = Object.entries(counts).map(([what, count]) => `${count} ${what}`);
  process.stdout.write(`torture: ${row}: ${said.join(', ')}\n`);
  const path = process.env['TIDEMARK_COUNTS'];
  if (path !== undefined) appendFileSync(path, `${JSON.stringify({ row, counts })}\n`);
}
