// What the runtime takes from the world: the time, a pause, chance and names. A test gives its own.

import type { Timestamp } from '@tidemark/log';

/** How to wait. */
interface WaitOptions {
  /** Set where nobody waits for the end: a process that has nothing else to do may stop before it. */
  readonly idle?: boolean;
}

/** Time, chance and names, as the runtime takes them from its process. */
export interface Surroundings {
  now(): Timestamp;
  /** Milliseconds that never go back, for measuring. */
  elapsed(): number;
  /** Ends after so many milliseconds, or at once when the signal aborts; never throws. */
  wait(ms: number, signal?: AbortSignal, options?: WaitOptions): Promise<void>;
  /** From 0 to below 1. */
  random(): number;
  /** A name that nobody else has. */
  newName(): string;
}
