// Time that a test or a benchmark moves: nothing waits for a clock, and the same run always happens at the same times. What
// waits is counted, so that a pause which nobody ends is seen.

import { timestamp } from '@tidemark/log';
import type { Surroundings } from '../src/ports/surroundings.ts';

/** A clock in the hands of who runs an agent. */
export interface VirtualTime {
  /** What the agent runs with. A wait ends when its time has come, or when it is aborted. */
  readonly surroundings: Surroundings;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** Waits under way. */
  readonly waiting: number;
  /** Lets so many milliseconds pass: waits that end by then end. */
  pass(ms: number): void;
  /** Passes to where the first wait ends; `false` when there is none. */
  passToNext(): boolean;
  /** Whoever waits now is gone, as a lost process is: no wait of theirs ends. */
  forget(): void;
}

interface Wait {
  readonly until: number;
  readonly end: () => void;
}

const START = Date.UTC(2026, 10, 20, 9);

/** A clock that stands at nine in the morning. */
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
