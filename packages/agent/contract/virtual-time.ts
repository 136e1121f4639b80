// Virtual time for tests and benchmarks. Nothing waits for a real clock, and each run has the same times. Pending waits
// are counted, so a test can detect a wait that never ends.

import { timestamp } from '@tidemark/log';
import type { Surroundings } from '../src/ports/surroundings.ts';

/** A clock that the test moves. */
export interface VirtualTime {
  /** Surroundings for the agent. A wait ends when its time is reached or when it is aborted. */
  readonly surroundings: Surroundings;
  /** Current time in milliseconds since 1970. */
  readonly now: number;
  /** Number of waits that have not ended. */
  readonly waiting: number;
  /** Moves the clock forward by `ms` milliseconds. Ends each wait whose time has then come. */
  pass(ms: number): void;
  /** Moves the clock to the end of the wait that ends next. Returns `false` if nothing waits. */
  passToNext(): boolean;
  /** Drops all pending waits without ending them, as if the process had crashed. */
  forget(): void;
}

interface Wait {
  readonly until: number;
  readonly end: () => void;
}

const START = Date.UTC(2026, 10, 20, 9);

/** Creates a clock that starts at 2026-11-20T09:00:00Z. */
export function virtualTime(): VirtualTime {
  const waits = new Set<Wait>();
  let now = START;
  let names = 0;
  const pass = (ms: number): void => {
    now += ms;
    for (const wait of waits) if (wait.until <= now) wait.end();
  };
  return {
    surroundings: {
      now: () => timestamp(new Date(now).toISOString()),
      elapsed: () => now,
      wait: (ms, signal) => waitUntil(waits, now + ms, signal),
      random: () => 0.5,
      newName: () => `name-${(names += 1)}`,
    },
    get now() {
      return now;
    },
    get waiting() {
      return waits.size;
    },
    pass,
    passToNext() {
      if (waits.size === 0) return false;
      pass(Math.max(0, Math.min(...[...waits].map(({ until }) => until)) - now));
      return true;
    },
    forget: () => waits.clear(),
  };
}

function waitUntil(waits: Set<Wait>, until: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted === true) return resolve();
    const end = (): void => {
      waits.delete(wait);
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const wait: Wait = { until, end };
    waits.add(wait);
    signal?.addEventListener('abort', end, { once: true });
  });
}
