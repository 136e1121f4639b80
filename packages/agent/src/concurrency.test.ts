// Tests the mutex and the semaphore: their order, their limits and their aborted waiters.

import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createMutex, createSemaphore } from './concurrency.ts';

describe('a mutex', () => {
  it('runs one piece of work at a time, in the order of the calls', async () => {
    const mutex = createMutex();
    const happened: string[] = [];
    const work = (name: string) => async (): Promise<string> => {
      happened.push(`begin ${name}`);
      await setImmediate();
      happened.push(`end ${name}`);
      return name;
    };
    expect(await Promise.all(['a', 'b', 'c'].map((name) => mutex.pass(work(name))))).toEqual(['a', 'b', 'c']);
    expect(happened).toEqual(['begin a', 'end a', 'begin b', 'end b', 'begin c', 'end c']);
  });

  it('runs the next work after work that failed, and only the caller of that work gets the error', async () => {
    const mutex = createMutex();
    const failed = mutex.pass(() => Promise.reject(new Error('the disk is full')));
    const next = mutex.pass(async () => 'next');
    await expect(failed).rejects.toThrow('the disk is full');
    expect(await next).toBe('next');
  });

  it('never starts work before `pass` has returned', async () => {
    const mutex = createMutex();
    let isStarted = false;
    const passed = mutex.pass(async () => {
      isStarted = true;
    });
    expect(isStarted).toBe(false);
    await passed;
    expect(isStarted).toBe(true);
  });
});

describe('a semaphore', () => {
  const calm = new AbortController().signal;

  it('lets as many workers in as it has slots, and the others in the order of their calls', async () => {
    const semaphore = createSemaphore(2);
    const entered: number[] = [];
    const leaves = [0, 1, 2, 3].map(async (worker) => {
      const leave = await semaphore.enter(calm);
      entered.push(worker);
      return leave;
    });
    await setImmediate();
    expect(entered).toEqual([0, 1]);
    (await leaves[1])?.();
    await setImmediate();
    expect(entered).toEqual([0, 1, 2]);
    (await leaves[0])?.();
    await setImmediate();
    expect(entered).toEqual([0, 1, 2, 3]);
  });

  it('returns `undefined` to an aborted waiter at once, and gives its slot to the next waiter', async () => {
    const semaphore = createSemaphore(1);
    const leave = await semaphore.enter(calm);
    const abort = new AbortController();
    const aborted = semaphore.enter(abort.signal);
    let isIn = false;
    const next = semaphore.enter(calm).then((release) => {
      isIn = true;
      return release;
    });
    abort.abort();
    expect(await aborted).toBeUndefined();
    await setImmediate();
    expect(isIn).toBe(false);
    leave?.();
    expect(await next).toBeTypeOf('function');
  });

  it('keeps all slots if waiters are aborted at the moment when a slot becomes free', async () => {
    const semaphore = createSemaphore(1);
    for (let round = 0; round < 20; round += 1) {
      const leave = await semaphore.enter(calm);
      const abort = new AbortController();
      const waiting = semaphore.enter(abort.signal);
      leave?.();
      for (let tick = 0; tick < round % 7; tick += 1) await Promise.resolve();
      abort.abort();
      (await waiting)?.();
    }
    expect(await semaphore.enter(calm)).toBeTypeOf('function');
  });

  it('returns `undefined` to a worker whose signal was aborted before the call', async () => {
    const semaphore = createSemaphore(1);
    expect(await semaphore.enter(AbortSignal.abort())).toBeUndefined();
    expect(await semaphore.enter(calm)).toBeTypeOf('function');
  });

  it('frees only one slot, even if a worker releases its slot twice', async () => {
    const semaphore = createSemaphore(1);
    const leave = await semaphore.enter(calm);
    leave?.();
    leave?.();
    expect(await semaphore.enter(calm)).toBeTypeOf('function');
    let isIn = false;
    void semaphore.enter(calm).then(() => {
      isIn = true;
    });
    await setImmediate();
    expect(isIn).toBe(false);
  });
});
