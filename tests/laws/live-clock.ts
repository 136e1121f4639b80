// Time that a test moves. What waits for it is counted, so that a pause which nobody ends is seen.

import type { Surroundings } from '@tidemark/agent';
import { timestamp } from '@tidemark/log';

/** A clock in the hands of a test. */
export interface LiveClock {
  readonly surroundings: Surroundings;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** Pauses under way. */
  readonly waiting: number;
  /** Lets so many milliseconds pass: pauses that end by then end. */
  pass(ms: number): void;
  /** Passes to where the first pause ends; `false` when there is none. */
  passToNext(): boolean;
}

interface Wait {
  readonly until: number;
  readonly end: () => void;
}

const START = Date.UTC(2026, 10, 20, 9);

/** A clock that stands at nine in the morning. */
export function liveClock(): LiveClock {
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
