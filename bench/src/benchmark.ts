// Runs benchmarks. Each benchmark measures one ratio or one difference in one run, and compares it with a limit or an
// alternative.

/** Table of one benchmark, printed below the table of all benchmarks. */
export interface TableOfResult {
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** Measurement of one run. */
export interface Measured {
  /**
   * Our value divided by the alternative's value. With the benchmark's `unit`, the measured value in that unit. `null`
   * if nothing could be measured.
   */
  readonly ratio: number | null;
  /** Values from which the ratio was computed, with units in their names: `oursMs`, `theirsMs`, `events`. */
  readonly details?: { readonly [name: string]: number | string };
  readonly table?: TableOfResult;
  /** Values that are written to the result file but not printed. */
  readonly unprinted?: { readonly [name: string]: number | string };
}

/** One row in the table of benchmarks. Each file in `benchmarks/` exports one as `benchmark`. */
export interface Benchmark {
  /** Name in kebab-case, used on the command line and for the result file. */
  readonly name: string;
  /** Description of the alternative or limit with which our value is compared. */
  readonly against: string;
  /** Largest accepted ratio. With `unit`, the largest accepted value in that unit. */
  readonly target: number;
  /** Unit of the measured value if it is not a ratio. `ms`: our time minus the alternative's. */
  readonly unit?: 'ms';
  run(): Promise<Measured>;
}

/** A benchmark with its measurement. */
export interface Result extends Measured {
  readonly name: string;
  readonly against: string;
  readonly target: number;
  readonly unit?: 'ms';
  /** True if the target is met. `null` if nothing was measured. */
  readonly met: boolean | null;
  /** Message of the error that ended the run early. Undefined for a run that finished. */
  readonly error?: string;
}

/**
 * Runs one benchmark. An error thrown by the benchmark is put in its result, so that the other rows of the table are
 * kept.
 */
export async function measure(benchmark: Benchmark): Promise<Result> {
  const { run, ...row } = benchmark;
  try {
    const measured = await run();
    return { ...row, met: measured.ratio === null ? null : measured.ratio <= row.target, ...measured };
  } catch (error) {
    return { ...row, met: null, ratio: null, error: error instanceof Error ? error.message : String(error) };
  }
}
