// Port to time, timers, random numbers and new ids. Tests pass their own implementation.

import type { Timestamp } from '@tidemark/log';

interface WaitOptions {
  /** True if nothing depends on the end of the wait. The process can then exit before the wait ends. */
  readonly idle?: boolean;
}

/** Time, random numbers and new ids. The runtime takes all of them from here. */
export interface Surroundings {
  now(): Timestamp;
  /** Returns monotonic time in milliseconds, for measuring durations. */
  elapsed(): number;
  /** Waits the given number of milliseconds. Returns early when the signal aborts. Never throws. */
  wait(ms: number, signal?: AbortSignal, options?: WaitOptions): Promise<void>;
  /** Returns a random number from 0 (inclusive) to 1 (exclusive). */
  random(): number;
  /** Returns a new unique name. */
  newName(): string;
}
