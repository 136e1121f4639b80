// Loads the benchmarks: every file in `benchmarks/` exports one as `benchmark`.

import { readdir } from 'node:fs/promises';

import type { Benchmark } from './benchmark.ts';

/**
 * Returns the benchmarks with these names, or all if `names` is empty, ordered by file name.
 * @throws Error for an unknown name.
 */
export async function loadBenchmarks(names: readonly string[]): Promise<readonly Benchmark[]> {
  const folder = new URL('./benchmarks/', import.meta.url);
  const files = (await readdir(folder)).filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts')).toSorted();
  const all: Benchmark[] = [];
  for (const file of files) all.push(benchmarkIn(file, await import(new URL(file, folder).href)));
  const unknown = names.find((name) => !all.some((benchmark) => benchmark.name === name));
  if (unknown !== undefined) {
    throw new Error(
      `no benchmark is named ${unknown}; there are: ${all.map((benchmark) => benchmark.name).join(', ') || 'none'}`,
    );
  }
  return names.length === 0 ? all : all.filter((benchmark) => names.includes(benchmark.name));
}

function benchmarkIn(file: string, module: unknown): Benchmark {
  const benchmark: unknown =
    typeof module === 'object' && module !== null && 'benchmark' in module ? module.benchmark : undefined;
  if (!isBenchmark(benchmark))
    throw new Error(`benchmarks/${file} exports no \`benchmark\` with name, against, target and run`);
  return benchmark;
}

function isBenchmark(value: unknown): value is Benchmark {
  if (typeof value !== 'object' || value === null) return false;
  if (!('name' in value && 'against' in value && 'target' in value && 'run' in value)) return false;
  const { name, against, target, run } = value;
  return (
    typeof name === 'string' && typeof against === 'string' && typeof target === 'number' && typeof run === 'function'
  );
}
