// What the runtime takes from the world: the time, a pause, chance and names. A test gives its own.

import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { defined } from '@tidemark/core';
import type { Timestamp } from '@tidemark/log';
import { timestamp } from '@tidemark/log';

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

/** The machine's own. */
export const THIS_MACHINE: Surroundings = {
  now: () => timestamp(new Date().toISOString()),
  elapsed: () => performance.now(),
  wait: async (ms, signal, { idle = false } = {}) => {
    try {
      await pause(ms, undefined, defined({ ref: !idle, signal }));
    } catch (error) {
      if (signal?.aborted !== true) throw error;
    }
  },
  random: Math.random,
  newName: randomUUID,
};
