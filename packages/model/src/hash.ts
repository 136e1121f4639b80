// Hashing as an argument: a pure package has none of its own.

/** A SHA-256 in progress. `copy` saves its state, so that what only grows is hashed once. */
export interface Hash {
  update(data: string | Uint8Array): Hash;
  copy(): Hash;
  /** Lower-case hex, 64 characters. Ends this state; take a `copy` first to go on. */
  hex(): string;
}

/** Begins a SHA-256. */
export type NewHash = () => Hash;
