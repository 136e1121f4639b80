// `npm run torture`: the whole fault matrix, and at its end one table of what was tried. It runs the tests of `tests/crash`
// and of the store with nothing left out; `npm test` runs the same ones in reduced form.

import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Processes that are killed in each of the two rows that kill: those that write, and sessions at work. */
const KILLS = '2000';
const ROWS: readonly (readonly [project: string, paths: readonly string[]])[] = [
  ['whole', ['tests/crash']],
  ['rooms', ['stores/ndjson/tests', 'packages/log/src/codec']],
];

interface Row {
  readonly row: string;
  readonly counts: { readonly [what: string]: number };
}

const folder = mkdtempSync(join(tmpdir(), 'tidemark-torture-'));
const counts = join(folder, 'counts.ndjson');
const env = { TIDEMARK_KILLS: KILLS, ...process.env, TIDEMARK_TORTURE: '1', TIDEMARK_COUNTS: counts };
writeFileSync(counts, '');
let failed = 0;
try {
  for (const [project, paths] of ROWS) {
    const { status } = spawnSync('vitest', ['run', '--project', project, ...paths], { stdio: 'inherit', env });
    if (status !== 0) failed += 1;
  }
  process.stdout.write(`\ntorture: ${failed === 0 ? 'all rows hold' : `${failed} of ${ROWS.length} runs failed`}\n`);
  for (const { row, counts: each } of readRows()) {
    process.stdout.write(`  ${row}\n`);
    for (const [what, count] of Object.entries(each))
      process.stdout.write(`    ${String(count).padStart(9)} ${what}\n`);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
process.exitCode = failed === 0 ? 0 : 1;

function readRows(): readonly Row[] {
  return readFileSync(counts, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line): Row => JSON.parse(line));
}
