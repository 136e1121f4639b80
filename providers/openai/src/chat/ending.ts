// How a completion ended: its stop reason and its usage, or its failure.

import type { Answer, AnswerPart, ProviderError, StopReason, Ttl, Usage } from '@tidemark/model';
import type { Service } from '@tidemark/provider-wire';
import { sortFailure } from '../decode/failure.ts';
import { billsWrites } from '../model-generation.ts';
import { decodeUsage } from '../decode/usage.ts';
import type { WireCompletion, ChatUsage } from './events.ts';

interface ChatStop {
  readonly stop: StopReason;
  readonly truncated: Answer['truncated'];
}

const STOPS: ReadonlyMap<string, ChatStop> = new Map([
  ['stop', { stop: 'end', truncated: 'no' }],
  ['tool_calls', { stop: 'calls', truncated: 'no' }],
  ['function_call', { stop: 'calls', truncated: 'no' }],
  ['length', { stop: 'length', truncated: 'yes' }],
  ['content_filter', { stop: 'refusal', truncated: 'unknown' }],
]);

/** What the server's word means. Some say `stop` behind a call: an answer that calls ended to be answered. */
export function stopOf(
  raw: string,
  parts: readonly AnswerPart[],
  refused: boolean,
): Pick<Answer, 'stop' | 'truncated' | 'stopRaw'> {
  const known = STOPS.get(raw) ?? { stop: 'other', truncated: 'unknown' };
  if (known.stop !== 'end') return { ...known, stopRaw: raw };
  if (refused) return { ...known, stop: 'refusal', stopRaw: raw };
  return { ...known, stop: parts.some(({ type }) => type === 'call') ? 'calls' : 'end', stopRaw: raw };
}

/**
 * The buckets. OpenAI's own models sell one lifetime by this API, 30 minutes; elsewhere what was written lives as long as
 * was `asked`, if that is known.
 */
export function usageOf(usage: ChatUsage, model: string | undefined, asked: Ttl | undefined): Usage {
  const counts = {
    input: usage.prompt_tokens,
    cached: usage.prompt_tokens_details?.cached_tokens,
    written: usage.prompt_tokens_details?.cache_write_tokens,
    output: usage.completion_tokens,
    reasoning: usage.completion_tokens_details?.reasoning_tokens,
  };
  return decodeUsage(counts, { model, ttl: billsWrites(model ?? '') === true ? '30m' : asked });
}

/** The error that a chunk or a body with `error` stands for. A number as code is a status, as routers send it. */
export function failureOf(service: Service, error: NonNullable<WireCompletion['error']>): ProviderError {
  const { code, type, message } = error;
  return sortFailure(service, {
    message: message ?? 'an error without a message',
    ...(typeof code === 'number' && { status: code }),
    ...(typeof code === 'string' && { code }),
    ...(typeof type === 'string' && { type }),
  });
}
