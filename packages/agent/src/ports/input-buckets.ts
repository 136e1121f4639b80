// Input tokens of a call by bucket.

/** Input tokens by bucket. Each token is in exactly one bucket, so their sum is the input. */
export interface InputBuckets {
  /** Tokens that were not read from the cache and not written to it. */
  readonly fresh: number;
  /** Tokens that were read from the cache. */
  readonly read: number;
  /** Tokens that were written to the cache. */
  readonly written: number;
}
