// Waiting in a process: a mutex, a semaphore, waits that end when a signal aborts, and the clock of this machine.

import type { Surroundings } from './ports/surroundings.ts';
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { defined } from '@tidemark/core';
import { timestamp } from '@tidemark/log';

/** Lets one piece of work through at a time. What fails lets the next one pass. */
export interface Mutex {
  pass<T>(work: () => Promise<T>): Promise<T>;
}

/** Returns a mutex that nothing holds. */
export function createMutex(): Mutex {
  let last: Promise<unknown> = Promise.resolve();
  return {
    pass(work) {
      const passed = last.then(work, work);
      last = passed.catch(() => undefined);
      return passed;
    },
  };
}

/** How many may work at once: the others wait in line. */
export interface Semaphore {
  /** Ends once there is room, with what gives it back; `undefined` when the signal aborts before. */
  enter(signal: AbortSignal): Promise<(() => void) | undefined>;
}

/** So many slots, all of them free. */
export function createSemaphore(most: number): Semaphore {
  let free = most;
  const line: (() => void)[] = [];
  const leave = (): void => {
    const next = line.shift();
    if (next === undefined) free += 1;
    else next();
  };
  return {
    async enter(signal) {
      if (signal.aborted) return undefined;
      if (free === 0) return (await waitIn(line, signal)) ? leave : undefined;
      free -= 1;
      return leave;
    },
  };
}

/** An aborted waiter leaves the queue, so its slot is not lost. */
async function waitIn(line: (() => void)[], signal: AbortSignal): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const enter = (): void => resolve(true);
  const giveUp = (): void => {
    const place = line.indexOf(enter);
    if (place === -1) return;
    line.splice(place, 1);
    resolve(false);
  };
  line.push(enter);
  signal.addEventListener('abort', giveUp, { once: true });
  const entered = await promise;
  signal.removeEventListener('abort', giveUp);
  return entered;
}

/** Why a wait is over whose end nobody needs. Made once: each of its kind takes the stack where it is made. */
export const OVER: DOMException = new DOMException('what was waited for has ended', 'AbortError');

/** What the work comes to, or `undefined` as soon as the signal aborts; what it comes to after that is ignored. */
export async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  const done = new AbortController();
  try {
    return await Promise.race([work, abortOf(signal, done.signal).then(() => undefined)]);
  } finally {
    done.abort(OVER);
  }
}

/** Ends when the signal aborts, which it may never do. `over` takes the listener away. */
export function abortOf(signal: AbortSignal, over: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve(), { once: true, signal: over });
  });
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
