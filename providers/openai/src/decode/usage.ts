// Splits usage into parts that do not overlap (L7). In OpenAI's counts, the input includes read and written tokens, and
// the output includes reasoning tokens (provider-facts §2.3). A missing field stays unknown, never 0.

import { defined } from '@tidemark/core';
import type { CacheWrite, Ttl, Usage } from '@tidemark/model';
import { billsWrites } from '../model-generation.ts';

/** A token count as the server sends it. */
export type WireCount = number | null | undefined;

/**
 * Token counts of one call, in a form that is the same for all APIs. `input` includes `cached` and `written`, and
 * `output` includes `reasoning`.
 */
export interface Counts {
  readonly input?: WireCount;
  readonly cached?: WireCount;
  readonly written?: WireCount;
  readonly written30m?: WireCount;
  readonly written12h?: WireCount;
  readonly output?: WireCount;
  readonly reasoning?: WireCount;
}

interface CountedCall {
  readonly model?: string | undefined;
  /** The cache lifetime that the response reports. If the response reports none, the lifetime in the request. */
  readonly ttl?: Ttl | undefined;
}

/**
 * Returns the usage in disjoint buckets.
 *
 * - If the counts do not report writes, the writes are 0 for models that do not bill writes. For other models the
 *   writes and the fresh tokens are unknown, and the reported input is kept as a total.
 * - A written total without a split by lifetime gets the lifetime of the call, `ttl`. If that lifetime is unknown, the
 *   total is kept as `written`.
 * - Counts that contradict each other produce no fresh bucket and no input total.
 * - No request is empty, so an input of 0 means that the server does not count input. All counts of 0 of such a call
 *   are unknown.
 */
export function decodeUsage(wire: Counts, call: CountedCall): Usage {
  const counts = wire.input === 0 ? withoutZeros(wire) : wire;
  const { input, cached: read } = counts;
  const written = counts.written ?? splitSum(counts) ?? (billsWrites(call.model ?? '') === false ? 0 : undefined);
  const writes = written === undefined ? undefined : decodeWrites(written, counts, call);
  const rest = typeof input === 'number' ? input - (read ?? 0) - (written ?? 0) : -1;
  const sorted = typeof read === 'number' && written !== undefined;
  return {
    ...(rest >= 0 && sorted && { fresh: rest }),
    ...(typeof read === 'number' && { read }),
    ...defined({ writes }),
    ...(typeof input === 'number' && rest >= 0 && !sorted && { input }),
    ...(written !== undefined && writes === undefined && { written }),
    ...decodeOutput(counts),
  };
}

function withoutZeros(counts: Counts): Counts {
  return Object.fromEntries(Object.entries(counts).filter(([, count]) => count !== 0));
}

function splitSum({ written30m, written12h }: Counts): number | undefined {
  if (typeof written30m !== 'number' && typeof written12h !== 'number') return undefined;
  return (written30m ?? 0) + (written12h ?? 0);
}

function decodeWrites(written: number, counts: Counts, { ttl }: CountedCall): readonly CacheWrite[] | undefined {
  if (written === 0) return [];
  if (splitSum(counts) !== written) return ttl === undefined ? undefined : [{ ttl, tokens: written }];
  const split: readonly CacheWrite[] = [
    { ttl: '30m', tokens: counts.written30m ?? 0 },
    { ttl: '12h', tokens: counts.written12h ?? 0 },
  ];
  return split.filter(({ tokens }) => tokens > 0);
}

function decodeOutput({ output, reasoning }: Counts): Usage {
  if (typeof output !== 'number') return {};
  if (typeof reasoning !== 'number' || reasoning > output) return { answer: output };
  return { answer: output - reasoning, reasoning };
}
