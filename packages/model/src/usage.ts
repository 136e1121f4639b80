// Sums over the usage of one call, and the buckets that follow from what else is known of it (L7).

import type { CacheWrite, Ttl, Usage } from '@tidemark/core';

/** All input tokens: the sum of the buckets, else the total that the provider told; `undefined` when both are unknown. */
export function inputTokens(usage: Usage): number | undefined {
  const cached = cachedTokens(usage);
  return cached === undefined || usage.fresh === undefined ? usage.input : cached + usage.fresh;
}

/** Tokens that the cache held after the call: read or written; `undefined` when one of them is unknown. */
export function cachedTokens(usage: Usage): number | undefined {
  const written = allWritten(usage);
  return usage.read === undefined || written === undefined ? undefined : usage.read + written;
}

/** All tokens written, whatever their lifetimes; `undefined` when unknown. */
export function allWritten({ writes, written }: Usage): number | undefined {
  return writes === undefined ? written : writtenTokens(writes);
}

/** All output tokens, reasoning included; `undefined` when unknown. */
export function outputTokens({ answer, reasoning = 0 }: Usage): number | undefined {
  return answer === undefined ? undefined : answer + reasoning;
}

/** The sum over all lifetimes. */
export function writtenTokens(writes: readonly CacheWrite[]): number {
  return writes.reduce((sum, write) => sum + write.tokens, 0);
}

/** What is known of a call besides its counts, where the counts leave a bucket open. */
export interface CallFacts {
  /** Lifetimes that the markers of the request asked for; an empty list where it had none. */
  readonly lives: readonly Ttl[];
  /** `false` where the price list of the model is known and has no price for a write: a token is fresh or read. */
  readonly billsWrites: boolean;
  /** `false` where the catalog says that the model's prompts are not cached: every token is fresh. */
  readonly caches: boolean;
}

/**
 * Usage with the buckets that follow from the request and the model: tokens written have the one lifetime that was asked
 * for, a model that bills no writes has none, and one without a cache has no reads either. A bucket that does not follow
 * stays unknown.
 */
export function completeUsage(usage: Usage, { lives, billsWrites, caches }: CallFacts): Usage {
  const { input, written, ...told } = usage;
  if (told.writes !== undefined) return usage;
  const [life, ...others] = new Set(lives);
  if (written !== undefined) {
    return life === undefined || others.length > 0 ? usage : { ...told, writes: [{ ttl: life, tokens: written }] };
  }
  const read = told.read ?? (caches ? undefined : 0);
  if (billsWrites || input === undefined || read === undefined) return usage;
  return { ...told, fresh: input - read, read, writes: [] };
}
