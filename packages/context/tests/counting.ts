// List that counts how many of its items are read. The count measures the work of a function. It does not depend on the
// speed of the machine.

/** A list, and the number of its items that were read. */
export interface Counting<T> {
  readonly list: T[];
  /** Returns the number of items read since the last call of `taken`. */
  taken(): number;
}

/**
 * Creates an empty list that counts reads of its items. Reads by methods of the list, such as `map`, are counted too.
 */
export function counting<T>(): Counting<T> {
  let reads = 0;
  const items: T[] = [];
  const list = new Proxy(items, {
    get(target, key, receiver): unknown {
      if (typeof key === 'string' && /^\d+$/.test(key)) reads += 1;
      return Reflect.get(target, key, receiver);
    },
  });
  const taken = (): number => {
    const before = reads;
    reads = 0;
    return before;
  };
  return { list, taken };
}
