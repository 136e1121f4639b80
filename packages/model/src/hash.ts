// Hashing interface. The caller passes an implementation, because this package is pure and cannot import `node:crypto`.

/**
 * A SHA-256 computation in progress. `copy` saves its state. With `copy`, the bytes of a growing body are hashed only
 * one time.
 */
export interface Hash {
  update(data: string | Uint8Array): Hash;
  copy(): Hash;
  /**
   * Returns the digest as 64 lower-case hex characters. The state cannot be used after the call; call `copy` first to
   * continue.
   */
  hex(): string;
}

/** Begins a SHA-256 computation. */
export type NewHash = () => Hash;
