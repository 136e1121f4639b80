// Measurement of wall time and processor time, in milliseconds.

/** Runs some work and returns its wall time in milliseconds. */
export function timed(work: () => unknown): number {
  const start = performance.now();
  work();
  return performance.now() - start;
}

/** Awaits some work and returns its wall time in milliseconds. */
export async function timedAsync(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

/**
 * Awaits some work and returns the processor time that this process used meanwhile, in milliseconds: user and kernel
 * time of all threads.
 */
export async function processorTime(work: () => unknown): Promise<number> {
  const start = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1000;
}

/** Stopwatch that sums the wall time of several pieces of work. */
export interface Stopwatch {
  /** Sum so far, in milliseconds. */
  readonly ms: number;
  run<T>(work: () => T): T;
  wait<T>(work: () => Promise<T>): Promise<T>;
}

/** Creates a stopwatch at zero. */
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
