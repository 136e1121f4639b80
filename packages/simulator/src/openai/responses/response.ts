// A response of the Responses wire: the object that is told whole, and as it stands when a stream opens, ends or fails.

import type { SimulatedAnswer } from '../../core/answer.ts';
import { given, objectAt, textOf } from '../../core/wire.ts';
import type { WireObject } from '../../core/wire.ts';
import { isCut } from '../format/output.ts';
import type { OutputItem } from '../format/output.ts';
import type { ResponsesRequest } from './read-responses.ts';
import { responsesUsage } from '../format/usage.ts';
import type { TokenCounts } from '../../core/ledger.ts';

/** Everything that a response says, streamed or not. */
export interface ResponsesReply {
  /** `resp_…` */
  readonly id: string;
  readonly request: ResponsesRequest;
  readonly answer: SimulatedAnswer;
  readonly items: readonly OutputItem[];
  /** As they are told, which a fault can make wrong. */
  readonly counts: TokenCounts;
  /** Seconds since the epoch. */
  readonly createdAt: number;
  /** `prompt_cache_diagnostics`, where it was asked for. */
  readonly diagnosis: WireObject | undefined;
}

/** The body of a response that is not streamed, and the last word of a stream. */
export function responseOf(reply: ResponsesReply): WireObject {
  const cut = isCut(reply.answer);
  const { diagnosis } = reply;
  return {
    ...envelope(reply),
    status: cut ? 'incomplete' : 'completed',
    incomplete_details: cut ? { reason: 'max_output_tokens' } : null,
    completed_at: cut ? null : reply.createdAt,
    output: reply.items.map(({ item }) => item),
    usage: responsesUsage(reply.counts),
    ...(diagnosis === undefined ? {} : { prompt_cache_diagnostics: diagnosis }),
  };
}

/** The response with which a stream begins: nothing said yet. */
export function openingResponse(reply: ResponsesReply): WireObject {
  return { ...envelope(reply), status: 'in_progress', completed_at: null, output: [], usage: null };
}

/** The response with which a stream ends when it fails. */
export function failedResponse(reply: ResponsesReply, code: string, message: string): WireObject {
  const { usage: _usage, ...rest } = openingResponse(reply);
  return { ...rest, status: 'failed', error: { code, message }, usage: null };
}

function envelope({ id, request, createdAt }: ResponsesReply): WireObject {
  const { fields } = request;
  const text = objectAt(fields, 'text');
  const reasoning = objectAt(fields, 'reasoning');
  return {
    id,
    object: 'response',
    created_at: createdAt,
    background: false,
    error: null,
    incomplete_details: null,
    instructions: fields['instructions'] ?? null,
    max_output_tokens: fields['max_output_tokens'] ?? null,
    max_tool_calls: fields['max_tool_calls'] ?? null,
    metadata: fields['metadata'] ?? {},
    model: request.model,
    parallel_tool_calls: fields['parallel_tool_calls'] ?? true,
    previous_response_id: request.previous ?? null,
    prompt_cache_key: request.key === '' ? null : request.key,
    ...cacheFields(request),
    reasoning: { effort: reasoning['effort'] ?? 'medium', summary: reasoning['summary'] ?? null },
    safety_identifier: null,
    service_tier: 'default',
    store: request.store,
    temperature: fields['temperature'] ?? 1,
    text: { format: text['format'] ?? { type: 'text' }, verbosity: text['verbosity'] ?? 'medium' },
    tool_choice: fields['tool_choice'] ?? 'auto',
    tools: fields['tools'] ?? [],
    top_logprobs: 0,
    top_p: fields['top_p'] ?? 1,
    truncation: 'disabled',
    user: null,
  };
}

/** What was applied: options on the newer generation, a retention on the older (§2.1). */
function cacheFields({ rules, fields }: ResponsesRequest): WireObject {
  if (rules.kind !== 'boundaries') return { prompt_cache_retention: textOf(fields['prompt_cache_retention']) || '24h' };
  const options = objectAt(fields, 'prompt_cache_options');
  const comparison = options['comparison_response_id'];
  return {
    prompt_cache_retention: fields['prompt_cache_retention'] ?? null,
    prompt_cache_options: {
      mode: options['mode'] ?? 'implicit',
      ttl: options['ttl'] ?? '30m',
      ...(given(comparison) ? { comparison_response_id: comparison } : {}),
    },
  };
}
