// Limits of one fetch.

/** Limits of one fetch, over all its redirects. */
export interface FetchLimits {
  /** Maximum time in milliseconds, from the start to the last byte. */
  readonly time: number;
  /** Maximum number of bytes of a text, after decompression. The rest of a longer text is not read. */
  readonly bytes: number;
  /** Maximum number of redirects. */
  readonly redirects: number;
}

/** Limits that `fetch` uses. */
export const FETCH_LIMITS: FetchLimits = { time: 30_000, bytes: 10 * 1024 * 1024, redirects: 5 };
