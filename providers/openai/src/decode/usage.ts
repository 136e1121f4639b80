// Usage in disjoint buckets (L7). OpenAI counts inclusively: its input holds what was read and written, its output what
// was reasoned (provider facts 2.3). A field that did not come stays unknown, never 0.

import { defined } from '@tidemark/core';
import type { CacheWrite, Ttl, Usage } from '@tidemark/model';
import { billsWrites } from '../model-generation.ts';

/** A count as it comes. */
export type WireCount = number | null | undefined;

/** Counts of one call, whichever API told them. */
export interface Counts {
  readonly input?: WireCount;
  readonly cached?: WireCount;
  readonly written?: WireCount;
  readonly written30m?: WireCount;
  readonly written12h?: WireCount;
  readonly output?: WireCount;
  readonly reasoning?: WireCount;
}

/** What is known of the call beside its counts. */
interface CountedCall {
  readonly model?: string | undefined;
  /** The lifetime that the response says was applied, or the request asked for. */
  readonly ttl?: Ttl | undefined;
}

/**
 * The buckets. Where the counts say nothing of writes, there were none on the models that bill none; elsewhere writes,
 * and with them what is fresh, are unknown: the input then stands as the total that was told. A written total whose
 * lifetime was not told is of the one that the response says was applied, else it stands as a total. Counts that
 * contradict each other make no bucket, and no total. No request is empty, so an input of 0 says that the server counts no
 * input: all counts of 0 of such a call are unknown.
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
