// Time that a benchmark moves: nothing waits for a clock, and the same run always happens at the same times.

import type { Surroundings } from '@tidemark/agent';
import { timestamp } from '@tidemark/log';

/** A clock in the hands of a benchmark. */
export interface VirtualTime {
  /** What an agent runs with. A wait ends when its time has come, or when it is aborted. */
  readonly surroundings: Surroundings;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** Lets so many milliseconds pass. */
  pass(ms: number): void;
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
    forget: () => waits.clear(),
    pass(ms) {
      now += ms;
      for (const wait of waits) if (wait.until <= now) wait.end();
    },
  };
}

function waitUntil(waits: Set<Wait>, until: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const wait: Wait = {
      until,
      end: () => {
        waits.delete(wait);
        resolve();
      },
    };
    if (signal?.aborted === true) return resolve();
    waits.add(wait);
    signal?.addEventListener('abort', wait.end, { once: true });
  });
}
