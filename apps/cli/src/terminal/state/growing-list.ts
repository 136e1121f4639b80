// Growing list: a list to which entries are only appended. An append does not copy the earlier entries.

/** A list to which entries are only appended. Each append returns a new list, and the old list stays unchanged. */
export interface GrowingList<Entry> {
  readonly length: number;
  /** Returns the entry at an index. A negative index counts from the end. */
  at(index: number): Entry | undefined;
  /** Returns the entries from an index to the end, or to the index `to`, which is not included. */
  from(index: number, to?: number): readonly Entry[];
  append(entries: readonly Entry[]): GrowingList<Entry>;
}

/** Creates a growing list with its first entries. */
export function growingList<Entry>(first: readonly Entry[] = []): GrowingList<Entry> {
  return listOver([...first], first.length);
}

/**
 * Creates a list of the first `length` entries of the array. The longest list over the array appends to the array
 * itself, and every shorter list appends to a copy. Therefore no list ever sees the entries of another one.
 */
function listOver<Entry>(entries: Entry[], length: number): GrowingList<Entry> {
  return {
    length,
    at: (index) => (index < -length || index >= length ? undefined : entries[index < 0 ? length + index : index]),
    from: (index, to = length) => entries.slice(Math.max(0, index), Math.min(to, length)),
    append(added) {
      if (added.length === 0) return listOver(entries, length);
      const own = entries.length === length ? entries : entries.slice(0, length);
      for (const entry of added) own.push(entry);
      return listOver(own, own.length);
    },
  };
}
