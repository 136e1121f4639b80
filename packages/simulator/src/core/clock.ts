// Time as the cache sees it: the machine's, the embedding process's, or one that only the calls move.

import { SimulatorError } from './errors.ts';

/** How a simulator tells the time. A function gives milliseconds since the epoch. */
export type ClockChoice = 'real' | 'virtual' | (() => number);

/** A clock that never goes back. */
export interface Clock {
  /** Whether the calls move it. */
  readonly virtual: boolean;
  /**
   * The time of a call. With `at` (virtual only) that is its time; without, it is now, and on a virtual clock the moment
   * the last answer began.
   *
   * @throws SimulatorError `simulator/time-backwards`, `simulator/no-virtual-clock`.
   */
  now(at?: number): number;
  /** An answer began then: a later call without a time of its own comes no earlier. */
  passed(at: number): void;
}

/** Makes a clock. */
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
  let told = 0;
  let passed = 0;
  return {
    virtual: true,
    now(at) {
      if (at === undefined) return Math.max(told, passed);
      if (!(at >= told)) throw backwards(told, at);
      told = at;
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
    `A call came with the time ${at}, but this simulator runs on a clock of its own. Create it with clock: 'virtual'.`,
    { at },
  );
}

function backwards(last: number, at: number): SimulatorError {
  return new SimulatorError(
    'simulator/time-backwards',
    `A call came at ${at}, after one at ${last}. Send calls in order of their time; caches have no past to go back to.`,
    { last, at },
  );
}
