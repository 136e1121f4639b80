// A list that only grows, as a value: many states share one buffer, each with its own length. A new state costs what is
// new; the older ones stay as they were.

/** A list value. Read it through `itemAt`, `slice` and `items`: the buffer may hold more than this value's length. */
export interface AppendOnly<T> {
  readonly buffer: T[];
  readonly length: number;
}

/** An empty list, or one of these items. */
export function appendOnly<T>(items: readonly T[] = []): AppendOnly<T> {
  return { buffer: [...items], length: items.length };
}

/** The list with more items behind. Only the newest value of a buffer extends it; an older one takes a copy. */
export function append<T>(list: AppendOnly<T>, ...items: readonly T[]): AppendOnly<T> {
  return appendAll(list, items);
}

/** The same for any number of items: arguments of a call must fit the stack. */
export function appendAll<T>(list: AppendOnly<T>, items: readonly T[]): AppendOnly<T> {
  if (items.length === 0) return list;
  const buffer = list.buffer.length === list.length ? list.buffer : list.buffer.slice(0, list.length);
  for (const item of items) buffer.push(item);
  return { buffer, length: list.length + items.length };
}

/** The item at this index, or `undefined` outside the list. Negative indexes count from the end. */
export function itemAt<T>(list: AppendOnly<T>, index: number): T | undefined {
  const place = index < 0 ? list.length + index : index;
  return place < list.length ? list.buffer[place] : undefined;
}

/** A copy of the items from `start` on. */
export function slice<T>(list: AppendOnly<T>, start = 0, end: number = list.length): readonly T[] {
  return list.buffer.slice(start, Math.min(end, list.length));
}
