// The `usage` of an answer in this provider's inclusive counting (§2.3): the input holds what was cached and what was
// written, the output holds the reasoning. Ordinary input = input − cached − written.

import type { WireObject } from '../../core/wire.ts';
import type { TokenCounts } from '../../core/ledger.ts';

/** `usage` of a response (§2.3). The split of writes by lifetime is told where something lives longer than the usual. */
export function responsesUsage(counts: TokenCounts): WireObject {
  const { input, read, writtenShort, writtenLong, output, reasoning } = counts;
  const split = { cache_write_tokens_details: { ttl_30m_tokens: writtenShort, ttl_12h_tokens: writtenLong } };
  return {
    input_tokens: input,
    input_tokens_details: {
      cached_tokens: read,
      cache_write_tokens: writtenShort + writtenLong,
      ...(writtenLong === 0 ? {} : split),
    },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: reasoning },
    total_tokens: input + output,
  };
}

/** `usage` of a chat completion. Where nothing is known of the upstream's cache (`silent`), nothing is said of it. */
export function chatUsage(counts: TokenCounts, silent: boolean): WireObject {
  const { input, read, writtenShort, writtenLong, output, reasoning } = counts;
  const details = { cached_tokens: read, cache_write_tokens: writtenShort + writtenLong, audio_tokens: 0 };
  return {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
    ...(silent ? {} : { prompt_tokens_details: details }),
    completion_tokens_details: { reasoning_tokens: reasoning, audio_tokens: 0 },
  };
}
