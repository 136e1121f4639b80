// `npm run torture`: runs the whole fault matrix and prints one table of the tested faults at the end. The matrix
// consists of all tests of `tests/crash`, of the ndjson store and of the log's codec, and of the command's test against
// endless waits. `npm test` runs the same tests in reduced form.

import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';

/**
 * Default number of processes to kill in each of two tests: one kills processes that write, and the other kills running
 * sessions. The test that kills families kills a tenth of this number.
 */
const KILLS = '2000';
/**
 * Vitest option with a timeout that ends a hanging test, in milliseconds. The timeout is so long that no load reaches
 * it, because the result of a test must not depend on speed.
 */
const PATIENCE = '--test-timeout=86400000';
const RUNS: readonly (readonly [project: string, paths: readonly string[]])[] = [
  ['whole', ['tests/crash']],
  ['rooms', ['stores/ndjson/tests', 'packages/log/src/codec']],
  ['command', ['apps/cli/src/no-wait.int.test.ts']],
];

interface Row {
  readonly row: string;
  readonly counts: { readonly [what: string]: number };
}

/** Fields of a vitest report that are used. Times are in milliseconds. */
interface Report {
  readonly testResults: readonly {
    readonly name: string;
    readonly startTime: number;
    readonly endTime: number;
    readonly assertionResults: readonly { readonly status: string }[];
  }[];
}

const folder = mkdtempSync(join(tmpdir(), 'tidemark-torture-'));
const counts = join(folder, 'counts.ndjson');
const env = {
  TIDEMARK_KILLS: KILLS,
  ...process.env,
  TIDEMARK_TORTURE: '1',
  TIDEMARK_FULL: '1',
  TIDEMARK_COUNTS: counts,
};
writeFileSync(counts, '');
const began = Date.now();
let failed = 0;
try {
  const files: Row[] = [];
  for (const [project, paths] of RUNS) {
    const report = join(folder, `${project}.json`);
    const options = [PATIENCE, '--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
    const { status } = spawnSync('vitest', ['run', '--project', project, ...options, ...paths], {
      stdio: 'inherit',
      env,
    });
    if (status !== 0) failed += 1;
    if (existsSync(report)) files.push(...filesIn(JSON.parse(readFileSync(report, 'utf8'))));
  }
  const minutes = Math.round((Date.now() - began) / 60_000);
  const outcome = failed === 0 ? 'all rows passed' : `${failed} of ${RUNS.length} runs failed`;
  process.stdout.write(`\ntorture: ${outcome}, ${minutes} minutes\n`);
  for (const { row, counts: each } of [...readRows(), ...files]) {
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

function filesIn({ testResults }: Report): readonly Row[] {
  return testResults.map(({ name, startTime, endTime, assertionResults }) => {
    const ended = (status: string): number => assertionResults.filter((test) => test.status === status).length;
    const seconds = Math.round((endTime - startTime) / 1_000);
    const [passed, broken] = [ended('passed'), ended('failed')];
    const skipped = assertionResults.length - passed - broken;
    return {
      row: relative(process.cwd(), name),
      counts: {
        'tests passed': passed,
        ...(broken > 0 && { failed: broken }),
        ...(skipped > 0 && { skipped }),
        seconds,
      },
    };
  });
}
