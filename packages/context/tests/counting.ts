// A list that counts how many of its items are read: what a step looks at, whatever the machine does meanwhile.

/** A list, and the number of its items that were read. */
export interface Counting<T> {
  readonly list: T[];
  /** Items read since the last time that this was asked. */
  taken(): number;
}

/** An empty list that counts. Its methods read through it too. */
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
