// Concurrency in a process: a mutex, a semaphore, waits that end when a signal aborts, and the clock of this machine.

import type { Surroundings } from './ports/surroundings.ts';
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { defined } from '@tidemark/core';
import { timestamp } from '@tidemark/log';
import pLimit from 'p-limit';

/** Runs one piece of work at a time. If one piece of work fails, the next one still runs. */
export interface Mutex {
  pass<T>(work: () => Promise<T>): Promise<T>;
}

export function createMutex(): Mutex {
  const limit = pLimit(1);
  return { pass: (work) => limit(work) };
}

/** Limits the number of workers that run at the same time. Other workers wait in a queue. */
export interface Semaphore {
  /**
   * Resolves when a slot is free, with a function that releases the slot. If the signal aborts first, resolves with
   * `undefined`.
   */
  enter(signal: AbortSignal): Promise<(() => void) | undefined>;
}

/** Returns a semaphore with `most` free slots. */
export function createSemaphore(most: number): Semaphore {
  const limit = pLimit(most);
  return {
    async enter(signal) {
      if (signal.aborted) return undefined;
      const entered = Promise.withResolvers<true>();
      const left = Promise.withResolvers<void>();
      void limit(() => {
        entered.resolve(true);
        return left.promise;
      });
      if (await unlessAborted(entered.promise, signal)) return left.resolve;
      // An aborted waiter cannot be removed from the queue. It releases its slot as soon as it gets one, so the slot is
      // not lost.
      left.resolve();
      return undefined;
    },
  };
}

/**
 * Abort reason for waits that are no longer needed. All waits share this one error, because each new error would
 * capture a stack trace.
 */
export const OVER: DOMException = new DOMException('the awaited work has ended', 'AbortError');

/** Returns the result of the work, or `undefined` as soon as the signal aborts. A later result is ignored. */
export async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  const done = new AbortController();
  try {
    return await Promise.race([work, abortOf(signal, done.signal).then(() => undefined)]);
  } finally {
    done.abort(OVER);
  }
}

/**
 * Returns a promise that resolves when `signal` aborts. If `signal` does not abort, the promise never settles. Aborting
 * `over` removes the listener.
 */
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
