// Builds the response object of the Responses API: the whole response, and its form when a stream starts, ends or
// fails.

import { defined } from '@tidemark/core';
import type { SimulatedAnswer } from '../../core/answer.ts';
import { isPresent, objectAt, textOf, isList, isObject } from '../../core/wire.ts';
import type { WireObject } from '../../core/wire.ts';
import { isCut, servedTier } from '../format/output.ts';
import type { OutputItem } from '../format/output.ts';
import type { ResponsesRequest } from './read-responses.ts';
import type { TokenCounts } from '../../core/ledger.ts';
import { chunks, encodeEvent } from '../../core/sse.ts';

/** Data from which a response is built, streamed or not. */
export interface ResponsesReply {
  /** Response id: `resp_…`. */
  readonly id: string;
  readonly request: ResponsesRequest;
  readonly answer: SimulatedAnswer;
  readonly items: readonly OutputItem[];
  /** Token counts as reported to the client. A `wrong-usage` fault can make them wrong. */
  readonly counts: TokenCounts;
  /** Time of creation, in seconds since the epoch. */
  readonly createdAt: number;
  /** Value of `prompt_cache_diagnostics`. `undefined` if the request did not ask for a diagnosis. */
  readonly diagnosis: WireObject | undefined;
}

/** Returns the body of a response that is not streamed. The last event of a stream contains the same body. */
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
    ...defined({ prompt_cache_diagnostics: diagnosis }),
  };
}

function openingResponse(reply: ResponsesReply): WireObject {
  return { ...envelope(reply), status: 'in_progress', completed_at: null, output: [], usage: null };
}

function failedResponse(reply: ResponsesReply, code: string, message: string): WireObject {
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
    safety_identifier: fields['safety_identifier'] ?? null,
    service_tier: servedTier(fields),
    store: request.store,
    temperature: fields['temperature'] ?? 1,
    text: { format: text['format'] ?? { type: 'text' }, verbosity: text['verbosity'] ?? 'medium' },
    tool_choice: fields['tool_choice'] ?? 'auto',
    tools: fields['tools'] ?? [],
    top_logprobs: 0,
    top_p: fields['top_p'] ?? 1,
    truncation: fields['truncation'] ?? 'disabled',
    user: fields['user'] ?? null,
  };
}

/** A response reports options on newer models, and a retention on older models (provider-facts §2.1). */
function cacheFields({ rules, fields }: ResponsesRequest): WireObject {
  if (rules.kind !== 'boundaries') return { prompt_cache_retention: textOf(fields['prompt_cache_retention']) || '24h' };
  const options = objectAt(fields, 'prompt_cache_options');
  const comparison = options['comparison_response_id'];
  return {
    prompt_cache_retention: fields['prompt_cache_retention'] ?? null,
    prompt_cache_options: {
      mode: options['mode'] ?? 'implicit',
      ttl: options['ttl'] ?? '30m',
      ...(isPresent(comparison) ? { comparison_response_id: comparison } : {}),
    },
  };
}

type Loose = WireObject & { readonly type: string };

/**
 * Yields all events of a response as encoded text, in the order of provider-facts §2.6: `response.created`,
 * `response.in_progress`, then the start, the deltas and the end of each item, then `response.completed` or
 * `response.incomplete`. Every event has a sequence number. `size` is the maximum number of characters in a delta.
 */
export function* responseEvents(reply: ResponsesReply, size: number): Generator<string> {
  let number = 0;
  for (const event of looseEvents(reply, size)) yield encodeNumbered(event, number++);
}

/**
 * Returns the top-level error event of a stream that fails after it has sent status 200. `number` is the sequence
 * number of the event.
 */
export function errorEvent(number: number, code: string, message: string): string {
  return encodeNumbered({ type: 'error', code, message, param: null }, number);
}

/**
 * Returns the `response.failed` event of a stream that fails after it has sent status 200. `number` is the sequence
 * number of the event.
 */
export function failedEvent(reply: ResponsesReply, number: number, code: string, message: string): string {
  return encodeNumbered({ type: 'response.failed', response: failedResponse(reply, code, message) }, number);
}

/** Stream event of the Responses API whose data is not valid JSON. The fault `malformed-event` sends it. */
export const MALFORMED_RESPONSE_EVENT = 'event: response.output_text.delta\ndata: {"type":"response.output_text.de\n\n';

function encodeNumbered({ type, ...rest }: Loose, number: number): string {
  return encodeEvent({ event: type, data: JSON.stringify({ type, sequence_number: number, ...rest }) });
}

function* looseEvents(reply: ResponsesReply, size: number): Generator<Loose> {
  yield { type: 'response.created', response: openingResponse(reply) };
  yield { type: 'response.in_progress', response: openingResponse(reply) };
  for (const [index, { item }] of reply.items.entries()) {
    yield { type: 'response.output_item.added', output_index: index, item: openingItem(item) };
    yield* growth(item, { item_id: item['id'], output_index: index }, size);
    yield { type: 'response.output_item.done', output_index: index, item };
  }
  const type = isCut(reply.answer) ? 'response.incomplete' : 'response.completed';
  yield { type, response: responseOf(reply) };
}

/**
 * The encrypted content of an item may be incomplete when its output starts (provider-facts §2.4), so the simulator
 * shortens it.
 */
function openingItem(item: WireObject): WireObject {
  switch (item['type']) {
    case 'message':
      return { ...item, status: 'in_progress', content: [] };
    case 'function_call':
      return { ...item, status: 'in_progress', arguments: '' };
    default:
      return 'encrypted_content' in item
        ? { ...item, summary: [], encrypted_content: textOf(item['encrypted_content']).slice(0, 24) }
        : { ...item, summary: [] };
  }
}

interface ItemPlace {
  readonly item_id: unknown;
  readonly output_index: number;
}

function growth(item: WireObject, place: ItemPlace, size: number): Generator<Loose> {
  if (item['type'] === 'message') return messageGrowth(item, place, size);
  return item['type'] === 'function_call' ? callGrowth(item, place, size) : reasoningGrowth(item, place, size);
}

function* messageGrowth(item: WireObject, place: ItemPlace, size: number): Generator<Loose> {
  for (const [index, part] of partsOf(item['content']).entries()) {
    const at = { ...place, content_index: index };
    const refused = part['type'] === 'refusal';
    const text = textOf(refused ? part['refusal'] : part['text']);
    const name = refused ? 'response.refusal' : 'response.output_text';
    const empty = refused ? { type: 'refusal', refusal: '' } : { ...part, text: '' };
    const logprobs = refused ? {} : { logprobs: [] };
    yield { type: 'response.content_part.added', ...at, part: empty };
    for (const delta of chunks(text, size)) yield { type: `${name}.delta`, ...at, delta, ...logprobs };
    yield { type: `${name}.done`, ...at, ...(refused ? { refusal: text } : { text }), ...logprobs };
    yield { type: 'response.content_part.done', ...at, part };
  }
}

function* callGrowth(item: WireObject, place: ItemPlace, size: number): Generator<Loose> {
  const type = 'response.function_call_arguments';
  const words = textOf(item['arguments']);
  for (const delta of chunks(words, size)) yield { type: `${type}.delta`, ...place, delta };
  yield { type: `${type}.done`, ...place, arguments: words, name: item['name'] };
}

function* reasoningGrowth(item: WireObject, place: ItemPlace, size: number): Generator<Loose> {
  for (const [index, part] of partsOf(item['summary']).entries()) {
    const at = { ...place, summary_index: index };
    const text = textOf(part['text']);
    yield { type: 'response.reasoning_summary_part.added', ...at, part: { ...part, text: '' } };
    for (const delta of chunks(text, size)) yield { type: 'response.reasoning_summary_text.delta', ...at, delta };
    yield { type: 'response.reasoning_summary_text.done', ...at, text };
    yield { type: 'response.reasoning_summary_part.done', ...at, part };
  }
}

function partsOf(parts: unknown): readonly WireObject[] {
  return isList(parts) ? parts.filter(isObject) : [];
}

/**
 * Returns the `usage` of a response (provider-facts §2.3). The input includes cached and written tokens, and the output
 * includes reasoning tokens. The split of writes by lifetime is present only if some tokens were written with the
 * longer lifetime.
 */
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
