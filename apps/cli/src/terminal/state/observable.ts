// Observable: a value that changes, with its subscribers. The screen reads it.

/** A value that changes, with its subscribers. */
export interface Observable<Value> {
  get(): Value;
  set(value: Value): void;
  /** Calls `changed` after each change. Returns a function that ends the subscription. */
  subscribe(changed: () => void): () => void;
}

/** Creates an observable with its first value. */
export function createObservable<Value>(first: Value): Observable<Value> {
  let value = first;
  const subscribers = new Set<() => void>();
  return {
    get: () => value,
    set: (next) => {
      value = next;
      for (const changed of subscribers) changed();
    },
    subscribe: (changed) => {
      subscribers.add(changed);
      return () => void subscribers.delete(changed);
    },
  };
}
