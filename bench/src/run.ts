// `npm run bench [-- name…]`: runs the benchmarks one after another, prints a table, and writes JSON files to
// `bench/results/`. A missed target is reported but is not an error, because machines differ. A benchmark that throws
// is reported in its row, and the command exits with 1 after printing the whole table.

import { mkdir, writeFile } from 'node:fs/promises';
import { availableParallelism, cpus } from 'node:os';

import type { Result } from './benchmark.ts';
import { measure } from './benchmark.ts';
import { loadBenchmarks } from './load-benchmarks.ts';
import { renderResults } from './render-results.ts';

const RESULTS = new URL('../results/', import.meta.url);

const results: Result[] = [];
for (const benchmark of await loadBenchmarks(process.argv.slice(2))) {
  process.stderr.write(`${benchmark.name} …\n`);
  const result = await measure(benchmark);
  results.push(result);
  await keep(result);
}
console.log(renderResults(results));
if (results.some(({ error }) => error !== undefined)) process.exitCode = 1;

async function keep(result: Result): Promise<void> {
  const machine = {
    node: process.version,
    processors: availableParallelism(),
    processor: cpus()[0]?.model ?? 'unknown',
  };
  await mkdir(RESULTS, { recursive: true });
  const text = JSON.stringify({ ...result, at: new Date().toISOString(), machine }, undefined, 2);
  await writeFile(new URL(`${result.name}.json`, RESULTS), `${text}\n`);
}
