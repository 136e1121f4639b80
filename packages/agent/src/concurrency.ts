// Concurrency in a process: a mutex, a semaphore, waits that end when a signal aborts, and the clock of this machine.

import type { Surroundings } from './ports/surroundings.ts';
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { defined } from '@tidemark/core';
import { timestamp } from '@tidemark/log';

/** Runs one piece of work at a time. After work that fails, the next work still runs. */
export interface Mutex {
  pass<T>(work: () => Promise<T>): Promise<T>;
}

/** Returns a new mutex that is not locked. */
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

/** Limits the number of workers that run at the same time. Other workers wait in a queue. */
export interface Semaphore {
  /**
   * Resolves when a slot is free, with a function that releases the slot. Resolves with `undefined` if the signal
   * aborts first.
   */
  enter(signal: AbortSignal): Promise<(() => void) | undefined>;
}

/** Returns a semaphore with `most` free slots. */
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

/**
 * Reason with which unneeded waits are aborted. It is created once, because each new error would capture a stack trace.
 */
export const OVER: DOMException = new DOMException('the awaited work has ended', 'AbortError');

/** Returns the result of the work, or `undefined` as soon as the signal aborts. A result after that is ignored. */
export async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  const done = new AbortController();
  try {
    return await Promise.race([work, abortOf(signal, done.signal).then(() => undefined)]);
  } finally {
    done.abort(OVER);
  }
}

/** Resolves when the signal aborts, and possibly never. Aborting `over` removes the listener. */
export function abortOf(signal: AbortSignal, over: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve(), { once: true, signal: over });
  });
}

/** Clock, timers, random numbers and names of this machine. */
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
