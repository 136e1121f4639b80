// Time spent, by the wall or by the processor, in milliseconds.

/** Runs some work and gives its wall time. */
export function timed(work: () => unknown): number {
  const start = performance.now();
  work();
  return performance.now() - start;
}

/** Waits for some work and gives its wall time. */
export async function timedAsync(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

/** Waits for some work and gives the time that this process ran on a processor, in all its threads and in the kernel. */
export async function processorTime(work: () => unknown): Promise<number> {
  const start = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1000;
}

/** A sum of time that pieces of work add to. */
export interface Stopwatch {
  /** Milliseconds so far. */
  readonly ms: number;
  run<T>(work: () => T): T;
  wait<T>(work: () => Promise<T>): Promise<T>;
}

/** A sum of nothing. */
export function stopwatch(): Stopwatch {
  let ms = 0;
  return {
    get ms() {
      return ms;
    },
    run(work) {
      const start = performance.now();
      try {
        return work();
      } finally {
        ms += performance.now() - start;
      }
    },
    async wait(work) {
      const start = performance.now();
      try {
        return await work();
      } finally {
        ms += performance.now() - start;
      }
    },
  };
}
