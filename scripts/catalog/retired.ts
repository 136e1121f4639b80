// Claude models that appear in recordings but are no longer in the facts. Their rows make it possible to price old
// transcripts. The floors of Opus 4.1, Opus 4, Sonnet 4 and Haiku 3.5 are from provider-facts §1.2.

import type { Fact } from './fact.ts';

const SOURCE = 'not in the facts of 2026-11; list price, limits and floor as published when current';
const AS_OF = '2026-11-21';

function retired(
  id: string,
  limits: { readonly output: number; readonly floor: number },
  [input, output, read, write5m, write1h]: readonly [number, number, number, number, number],
  notes?: string,
): Fact {
  return {
    provider: 'anthropic',
    id,
    context_window: 200_000,
    max_input: 200_000,
    max_output: limits.output,
    price_per_mtok: { input, output, cache_read: read, cache_write_5m: write5m, cache_write_1h: write1h },
    min_cacheable_tokens: limits.floor,
    source: SOURCE,
    as_of: AS_OF,
    ...(notes === undefined ? {} : { notes }),
  };
}

/** Retired models in the format of the facts. */
export const RETIRED: readonly Fact[] = [
  retired('claude-opus-4-1-20250805', { output: 32_000, floor: 1_024 }, [15, 75, 1.5, 18.75, 30]),
  retired('claude-opus-4-20250514', { output: 32_000, floor: 1_024 }, [15, 75, 1.5, 18.75, 30]),
  retired(
    'claude-sonnet-4-20250514',
    { output: 64_000, floor: 1_024 },
    [3, 15, 0.3, 3.75, 6],
    'without the long-context beta, which had a larger window and a dearer tier',
  ),
  retired('claude-3-7-sonnet-20250219', { output: 64_000, floor: 1_024 }, [3, 15, 0.3, 3.75, 6]),
  retired('claude-3-5-haiku-20241022', { output: 8_192, floor: 2_048 }, [0.8, 4, 0.08, 1, 1.6]),
  retired('claude-3-haiku-20240307', { output: 4_096, floor: 2_048 }, [0.25, 1.25, 0.03, 0.3, 0.5]),
];
