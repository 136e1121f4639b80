// Tokens of one call in disjoint buckets (L7): each token of the input is fresh, read or written, and in one only.

/** Lifetimes that a provider sells. */
export type Ttl = '5m' | '1h' | '30m' | '12h';

/** Tokens written to the cache with one lifetime. */
export interface CacheWrite {
  readonly ttl: Ttl;
  readonly tokens: number;
}

/** An absent field is unknown, never 0. `answer` excludes `reasoning` where the provider tells them apart. */
export interface Usage {
  readonly fresh?: number;
  readonly read?: number;
  readonly writes?: readonly CacheWrite[];
  readonly answer?: number;
  readonly reasoning?: number;
}

/** All input tokens: `fresh + read + Σ writes`, or `undefined` when one of them is unknown. */
export function inputTokens(usage: Usage): number | undefined {
  const { fresh, read, writes } = usage;
  if (fresh === undefined || read === undefined || writes === undefined) return undefined;
  return fresh + read + writtenTokens(writes);
}

/** The sum over all lifetimes. */
export function writtenTokens(writes: readonly CacheWrite[]): number {
  return writes.reduce((sum, write) => sum + write.tokens, 0);
}
