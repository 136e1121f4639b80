// One at a time, in the order of arrival.

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
