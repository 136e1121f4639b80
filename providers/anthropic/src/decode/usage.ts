// Usage in disjoint buckets (L7). A field that did not come stays unknown, never 0.

import type { CacheWrite, Usage } from '@tidemark/model';
import type { MessageUsage } from './events.ts';

/** Counts of a later event over those of an earlier one: numbers in a stream are cumulative, absent ones stand. */
export function mergeUsage(before: MessageUsage, after: MessageUsage | null | undefined): MessageUsage {
  const told = Object.entries(after ?? {}).filter(([, value]) => value !== null && value !== undefined);
  return { ...before, ...Object.fromEntries(told) };
}

/**
 * `input_tokens` is what follows the last breakpoint, so the three input counts are disjoint already (facts 1.4). No request
 * is empty, so input counts that are all 0 say that the server counts no input: all counts of 0 are then unknown.
 */
export function decodeUsage(told: MessageUsage): Usage {
  const wire = countsNoInput(told) ? withoutZeros(told) : told;
  const { input_tokens: fresh, cache_read_input_tokens: read } = wire;
  const { writes, written } = decodeWrites(wire);
  return {
    ...(typeof fresh === 'number' && { fresh }),
    ...(typeof read === 'number' && { read }),
    ...(writes !== undefined && { writes }),
    ...(written !== undefined && { written }),
    ...decodeOutput(wire),
  };
}

function countsNoInput({ input_tokens, ...wire }: MessageUsage): boolean {
  const written = wire.cache_creation;
  const others = [
    wire.cache_read_input_tokens,
    wire.cache_creation_input_tokens,
    written?.ephemeral_5m_input_tokens,
    written?.ephemeral_1h_input_tokens,
  ];
  return input_tokens === 0 && others.every((count) => (count ?? 0) === 0);
}

/** An output above 0 is kept. */
function withoutZeros({ output_tokens, output_tokens_details }: MessageUsage): MessageUsage {
  return (output_tokens ?? 0) === 0 ? {} : { output_tokens, output_tokens_details };
}

/** The input counts alone, for the beginning of a stream: the output is still to come. */
export function decodeInputUsage(wire: MessageUsage): Usage {
  const { answer: _answer, reasoning: _reasoning, ...input } = decodeUsage(wire);
  return input;
}

/**
 * By lifetime. The end of a stream gives a new total without the split: what it adds was written by the API itself
 * between server tool calls, for 5 minutes (facts 1.1). A total above 0 that was never split (gateways, Bedrock, Vertex)
 * stands as a total of unknown lifetimes.
 */
function decodeWrites(wire: MessageUsage): Pick<Usage, 'writes' | 'written'> {
  const total = wire.cache_creation_input_tokens;
  const hour = wire.cache_creation?.ephemeral_1h_input_tokens;
  const short = wire.cache_creation?.ephemeral_5m_input_tokens;
  if (typeof hour !== 'number')
    return total === 0 ? { writes: [] } : typeof total === 'number' ? { written: total } : {};
  const rest = typeof total === 'number' ? Math.max(0, total - hour) : short;
  if (typeof rest !== 'number') return {};
  const writes: readonly CacheWrite[] = [
    { ttl: '5m', tokens: rest },
    { ttl: '1h', tokens: hour },
  ];
  return { writes: writes.filter(({ tokens }) => tokens > 0) };
}

function decodeOutput(wire: MessageUsage): Usage {
  const output = wire.output_tokens;
  const reasoning = wire.output_tokens_details?.thinking_tokens;
  if (typeof output !== 'number') return {};
  return typeof reasoning === 'number' ? { answer: Math.max(0, output - reasoning), reasoning } : { answer: output };
}
