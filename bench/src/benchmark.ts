// What a benchmark is: one ratio, or one difference, measured in one run, against a limit or an alternative.

/** A table of a benchmark's own, printed below the table of all benchmarks. */
export interface TableOfResult {
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** What one run measured. */
export interface Measured {
  /** Ours divided by the alternative, or in the benchmark's `unit` what its target bounds. `null`: nothing was there. */
  readonly ratio: number | null;
  /** What the ratio was made of, with units in the names: `oursMs`, `theirsMs`, `events`. */
  readonly details?: { readonly [name: string]: number | string };
  readonly table?: TableOfResult;
  /** Parts of the measurement that are kept in the result file and are not printed. */
  readonly unprinted?: { readonly [name: string]: number | string };
}

/** One row of the table of benchmarks. Each file in `benchmarks/` exports one as `benchmark`. */
export interface Benchmark {
  /** Kebab-case; the name on the command line and of the result file. */
  readonly name: string;
  /** What ours is measured against, in words. */
  readonly against: string;
  /** The largest ratio that meets the target. */
  readonly target: number;
  /** What the ratio is counted in where it is none: `ms`, ours less the alternative. */
  readonly unit?: 'ms';
  run(): Promise<Measured>;
}

/** A benchmark with its measurement. */
export interface Result extends Measured {
  readonly name: string;
  readonly against: string;
  readonly target: number;
  readonly unit?: 'ms';
  /** `null` where nothing was measured. */
  readonly met: boolean | null;
  /** The message of the error that ended the run early; absent for a run that finished. */
  readonly error?: string;
}

/** Runs one benchmark. An error that it throws is part of its result, so that the other rows of the table are kept. */
export async function measure(benchmark: Benchmark): Promise<Result> {
  const { run, ...row } = benchmark;
  try {
    const measured = await run();
    return { ...row, met: measured.ratio === null ? null : measured.ratio <= row.target, ...measured };
  } catch (error) {
    return { ...row, met: null, ratio: null, error: error instanceof Error ? error.message : String(error) };
  }
}
