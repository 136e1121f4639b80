// Turns batches into single values. It does not create a chain of promises for each value, so reading a long log takes
// little more time than parsing it.

/** Yields every value of every batch, in order. */
export function flatten<T>(batches: AsyncGenerator<readonly T[]>): AsyncIterableIterator<T> {
  let batch: readonly T[] = [];
  let index = 0;
  async function refill(): Promise<IteratorResult<T>> {
    for (;;) {
      const next = await batches.next();
      if (next.done === true) return { done: true, value: undefined };
      batch = next.value;
      index = 1;
      const first = batch[0];
      if (first !== undefined) return { done: false, value: first };
    }
  }
  return {
    next() {
      const value = batch[index];
      if (value === undefined) return refill();
      index += 1;
      return Promise.resolve({ done: false, value });
    },
    async return() {
      batch = [];
      await batches.return(undefined);
      return { done: true, value: undefined };
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}
