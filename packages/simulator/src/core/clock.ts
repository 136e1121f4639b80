// Clock of the cache: the system clock, a function of the caller, or a virtual clock. A virtual clock advances only
// with the calls.

import { SimulatorError } from './errors.ts';

/**
 * Kind of clock. `real` is the system clock. `virtual` advances only with the calls. A function returns milliseconds
 * since the epoch.
 */
export type ClockChoice = 'real' | 'virtual' | (() => number);

/** Clock that never goes back. */
export interface Clock {
  /** True if the clock is virtual: only the calls advance it. */
  readonly virtual: boolean;
  /**
   * Returns the time of a call, in milliseconds since the epoch. `at` sets the time and is allowed only on a virtual
   * clock. Without `at`, a virtual clock returns the later of two times: the latest `at`, and the latest start of an
   * answer.
   *
   * @throws SimulatorError `simulator/time-backwards` when `at` is before an earlier `at`, `simulator/no-virtual-clock`
   *   when `at` is set on another kind of clock.
   */
  now(at?: number): number;
  /** Records that an answer began at `at`. If a later call sets no time, it gets `at` or a later time. */
  passed(at: number): void;
}

/** Creates a clock of the given kind. */
export function createClock(choice: ClockChoice): Clock {
  return choice === 'virtual' ? virtualClock() : realClock(choice === 'real' ? Date.now : choice);
}

function realClock(read: () => number): Clock {
  let last = 0;
  return {
    virtual: false,
    now(at) {
      if (at !== undefined) throw notVirtual(at);
      last = Math.max(last, read());
      return last;
    },
    passed(at) {
      last = Math.max(last, at);
    },
  };
}

function virtualClock(): Clock {
  let latest = 0;
  let passed = 0;
  return {
    virtual: true,
    now(at) {
      if (at === undefined) return Math.max(latest, passed);
      if (!(at >= latest)) throw backwards(latest, at);
      latest = at;
      return at;
    },
    passed(at) {
      passed = Math.max(passed, at);
    },
  };
}

function notVirtual(at: number): SimulatorError {
  return new SimulatorError(
    'simulator/no-virtual-clock',
    `A call has the time ${at}, but this simulator uses the real clock. Create it with clock: 'virtual'.`,
    { at },
  );
}

function backwards(last: number, at: number): SimulatorError {
  return new SimulatorError(
    'simulator/time-backwards',
    `A call with the time ${at} came after a call with the time ${last}. Send calls in order of their time, because the caches cannot go back in time.`,
    { last, at },
  );
}
