// Names of columns: a column has the index of a name instead of the name itself.

/** Names in the order in which they were first used. */
export interface NameList {
  readonly names: readonly string[];
  /** Returns the index of a name. A new name is added to the end. */
  indexOf(name: string): number;
}

/** Creates a list without names. */
export function createNames(): NameList {
  const indexes = new Map<string, number>();
  const names: string[] = [];
  return {
    names,
    indexOf(name) {
      const known = indexes.get(name);
      if (known !== undefined) return known;
      indexes.set(name, names.length);
      return names.push(name) - 1;
    },
  };
}
