// Usage and stop reasons as Claude Code writes them: those of Anthropic's Messages API.

import type { CacheWrite, Json, StopReason, Usage } from '@tidemark/log';
import { countOf, isObject, objectOf } from '../file/fields.ts';

/** Tokens in disjoint buckets, the written ones by lifetime. Nothing where the row holds no usage, or only zeros. */
export function claudeUsage(value: Json | undefined): Usage | undefined {
  if (!isObject(value)) return undefined;
  const fresh = countOf(value['input_tokens']);
  const read = countOf(value['cache_read_input_tokens']);
  const answer = countOf(value['output_tokens']);
  const writes = cacheWrites(value['cache_creation_input_tokens'], value['cache_creation']);
  const counts = [fresh, read, answer, ...(writes ?? []).map((write) => write.tokens)];
  if (counts.every((count) => count === undefined || count === 0)) return undefined;
  return {
    ...(fresh === undefined ? {} : { fresh }),
    ...(read === undefined ? {} : { read }),
    ...(writes === undefined ? {} : { writes }),
    ...(answer === undefined ? {} : { answer }),
  };
}

// What the split does not name was written with the default lifetime.
function cacheWrites(total: Json | undefined, split: Json | undefined): readonly CacheWrite[] | undefined {
  const long = countOf(objectOf(split)['ephemeral_1h_input_tokens']);
  const short = countOf(objectOf(split)['ephemeral_5m_input_tokens']);
  const all = countOf(total) ?? (long === undefined && short === undefined ? undefined : (long ?? 0) + (short ?? 0));
  if (all === undefined) return undefined;
  const writes: readonly CacheWrite[] = [
    { ttl: '1h', tokens: long ?? 0 },
    { ttl: '5m', tokens: Math.max(all - (long ?? 0), 0) },
  ];
  return writes.filter((write) => write.tokens > 0);
}

const STOPS: ReadonlyMap<string, StopReason> = new Map([
  ['end_turn', 'end'],
  ['tool_use', 'calls'],
  ['max_tokens', 'length'],
  ['stop_sequence', 'sequence'],
  ['pause_turn', 'pause'],
  ['refusal', 'refusal'],
  ['model_context_window_exceeded', 'window'],
]);

/** What a stop reason means. Many rows tell none: then an answer that calls ended to call. */
export function claudeStop(word: string | undefined, calls: boolean): StopReason {
  if (word === undefined) return calls ? 'calls' : 'end';
  return STOPS.get(word) ?? 'other';
}
