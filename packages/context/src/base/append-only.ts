// Append-only list as an immutable value. Several values share one buffer, and each value has its own length. Appending
// to the newest value copies only the new items. Older values stay unchanged.

/**
 * List value. Read it only through `itemAt` and `slice`, because the buffer may contain more items than this value's
 * length.
 */
export interface AppendOnly<T> {
  readonly buffer: T[];
  readonly length: number;
}

/** Creates a list with a copy of these items. Default: an empty list. */
export function appendOnly<T>(items: readonly T[] = []): AppendOnly<T> {
  return { buffer: [...items], length: items.length };
}

/**
 * Returns the list with more items at its end. If `list` is the newest value of its buffer, the buffer is extended.
 * Otherwise the buffer is copied.
 */
export function append<T>(list: AppendOnly<T>, ...items: readonly T[]): AppendOnly<T> {
  return appendAll(list, items);
}

/**
 * Returns the list with the items of an array at its end. Use it for many items. `append` passes each item as an
 * argument, and the stack limits the number of arguments.
 */
export function appendAll<T>(list: AppendOnly<T>, items: readonly T[]): AppendOnly<T> {
  if (items.length === 0) return list;
  const buffer = list.buffer.length === list.length ? list.buffer : list.buffer.slice(0, list.length);
  for (const item of items) buffer.push(item);
  return { buffer, length: list.length + items.length };
}

/** Returns the item at this index, or `undefined` outside the list. Negative indexes count from the end. */
export function itemAt<T>(list: AppendOnly<T>, index: number): T | undefined {
  const place = index < 0 ? list.length + index : index;
  return place < list.length ? list.buffer[place] : undefined;
}

/** Returns a copy of the items from `start` up to, but not including, `end`. */
export function slice<T>(list: AppendOnly<T>, start = 0, end: number = list.length): readonly T[] {
  return list.buffer.slice(start, Math.min(end, list.length));
}
