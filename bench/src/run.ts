// `npm run bench [-- name…]`: runs the benchmarks one after the other, prints a table, writes JSON to `bench/results/`.
// A target that is missed is said, never an error: machines differ. A benchmark that throws is one.

import { mkdir, writeFile } from 'node:fs/promises';
import { availableParallelism, cpus } from 'node:os';

import Table from 'cli-table3';

import type { Result } from './benchmark.ts';
import { measure } from './benchmark.ts';
import { loadBenchmarks } from './load-benchmarks.ts';

const RESULTS = new URL('../results/', import.meta.url);

const results: Result[] = [];
for (const benchmark of await loadBenchmarks(process.argv.slice(2))) {
  process.stderr.write(`${benchmark.name} …\n`);
  const result = await measure(benchmark);
  results.push(result);
  await keep(result);
}
console.log(tableOf(results));

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

function tableOf(rows: readonly Result[]): string {
  const table = new Table({
    head: ['benchmark', 'against', 'ratio', 'target', '', 'made of'],
    style: { head: [], border: [] },
  });
  table.push(...rows.map(rowOf));
  return table.toString();
}

function rowOf({ name, against, ratio, target, unit, met, details = {} }: Result): string[] {
  const parts = Object.entries(details).map(
    ([key, value]) => `${key} ${typeof value === 'number' ? short(value) : value}`,
  );
  const counted = unit === undefined ? '' : ` ${unit}`;
  const verdict = met === null ? 'absent' : met ? 'met' : 'missed';
  return [
    name,
    against,
    ratio === null ? '' : `${short(ratio)}${counted}`,
    `≤ ${target}${counted}`,
    verdict,
    parts.join('\n'),
  ];
}

function short(value: number): string {
  return Number.isInteger(value) ? String(value) : value.toPrecision(4);
}
