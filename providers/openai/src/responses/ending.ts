// How a response ended: its stop reason, its usage, or its failure.

import type { Answer, AnswerPart, ProviderError, StopReason, Usage } from '@tidemark/model';
import { sortFailure } from '../decode/failure.ts';
import { decodeUsage } from '../decode/usage.ts';
import { retryAfter } from '@tidemark/provider-wire';
import { OPENAI } from '../service.ts';
import { decodeDiagnosis } from './diagnosis.ts';
import type { WireError, WireResponse, ResponseUsage } from './events.ts';

interface ResponseStop {
  readonly stop: StopReason;
  readonly truncated: Answer['truncated'];
}

/** Why a response is incomplete. */
const INCOMPLETE: ReadonlyMap<string, ResponseStop> = new Map([
  ['max_output_tokens', { stop: 'length', truncated: 'yes' }],
  ['content_filter', { stop: 'refusal', truncated: 'unknown' }],
]);

/** The answer that these parts and this last word of the response make. */
export function answerOf(parts: readonly AnswerPart[], response: WireResponse, refused: boolean): Answer {
  const { id, model, usage } = response;
  return {
    parts,
    ...stopOf(parts, response, refused),
    ...(typeof id === 'string' && { response: id }),
    ...(typeof model === 'string' && { model }),
    usage: usageOf(usage ?? {}, response),
    ...decodeDiagnosis(response.prompt_cache_diagnostics),
  };
}

/** What is known of a failure beside its error. */
interface FailedCall {
  readonly response?: string | null | undefined;
  readonly status?: number | null | undefined;
}

/** The error that a failed response, or an error event, stands for. */
export function failureOf(error: WireError | null | undefined, { response, status }: FailedCall): ProviderError {
  const { code, type, message, param, headers } = error ?? {};
  const afterMs = retryAfter(new Headers(headers ?? {}));
  return sortFailure(OPENAI, {
    message: message ?? 'an error without a message',
    ...(typeof code === 'string' && { code }),
    ...(typeof type === 'string' && type !== 'error' && { type }),
    ...(typeof param === 'string' && { param }),
    ...(typeof response === 'string' && { request: response }),
    ...(typeof status === 'number' && { status }),
    ...(afterMs !== undefined && { afterMs }),
  });
}

function stopOf(
  parts: readonly AnswerPart[],
  { status, incomplete_details }: WireResponse,
  refused: boolean,
): Pick<Answer, 'stop' | 'truncated' | 'stopRaw'> {
  const stopRaw = (status === 'incomplete' ? incomplete_details?.reason : undefined) ?? status ?? undefined;
  const raw = stopRaw === undefined ? {} : { stopRaw };
  if (status === 'incomplete')
    return { ...(INCOMPLETE.get(stopRaw ?? '') ?? { stop: 'other', truncated: 'yes' }), ...raw };
  if (status !== 'completed') return { stop: 'other', truncated: 'unknown', ...raw };
  if (refused) return { stop: 'refusal', truncated: 'no', ...raw };
  return { stop: parts.some(({ type }) => type === 'call') ? 'calls' : 'end', truncated: 'no', ...raw };
}

function usageOf(usage: ResponseUsage, { model, prompt_cache_options }: WireResponse): Usage {
  const input = usage.input_tokens_details;
  const ttl = prompt_cache_options?.ttl;
  const counts = {
    input: usage.input_tokens,
    cached: input?.cached_tokens,
    written: input?.cache_write_tokens,
    written30m: input?.cache_write_tokens_details?.ttl_30m_tokens,
    written12h: input?.cache_write_tokens_details?.ttl_12h_tokens,
    output: usage.output_tokens,
    reasoning: usage.output_tokens_details?.reasoning_tokens,
  };
  return decodeUsage(counts, { model: model ?? undefined, ttl: ttl === '30m' || ttl === '12h' ? ttl : undefined });
}
