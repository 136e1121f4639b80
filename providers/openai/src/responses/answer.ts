// Decodes the final state of a response: its items as parts, its stop reason, its usage, its diagnosis, or its failure.

import { defined, rawElements, rawMember } from '@tidemark/core';
import type { Answer, AnswerPart, Diagnosis, ProviderError, StopReason, Usage } from '@tidemark/model';
import { malformed, parseJson, readAs, retryAfter } from '@tidemark/provider-wire';
import { sortFailure } from '../decode/failure.ts';
import { decodeUsage } from '../decode/usage.ts';
import { OPENAI } from '../service.ts';
import type { ResponseUsage, ResponseWireDiagnostics, WireError, WireItem, WireResponse } from './events.ts';
import { readCount, readResponse } from './events.ts';

/**
 * Decodes the text of a whole response to an answer.
 *
 * @throws ProviderError `provider/malformed` when the text is not a response, or the error of a failed response.
 */
export function decodeResponse(text: string): Answer {
  const value = parseJson(OPENAI, text);
  const response = readAs(OPENAI, 'an answer', () => readResponse(value));
  if (response.status === 'failed') throw failureOf(response.error, { response: response.id });
  const { output } = response;
  if (output === undefined || output === null) throw malformed(OPENAI, 'an answer that is not a response');
  const raws = rawElements(rawMember(text, 'output') ?? '[]');
  const parts = output.map((item, index) => partOf(item, raws[index] ?? JSON.stringify(item)));
  return answerOf(parts, response, output.some(isRefusal));
}

/**
 * Returns the number of tokens in an answer of the count endpoint.
 *
 * @throws ProviderError `provider/malformed` when the text is not a token count.
 */
export function decodeCount(text: string): number {
  const value = parseJson(OPENAI, text);
  return readAs(OPENAI, 'a count', () => readCount(value));
}

interface ResponseStop {
  readonly stop: StopReason;
  readonly truncated: Answer['truncated'];
}

const INCOMPLETE: ReadonlyMap<string, ResponseStop> = new Map([
  ['max_output_tokens', { stop: 'length', truncated: 'yes' }],
  ['content_filter', { stop: 'refusal', truncated: 'unknown' }],
]);

/**
 * Returns the answer that consists of the given parts and of the data in the final response object. `refused` is true
 * if a message of the answer contains a refusal.
 */
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

interface FailedCall {
  readonly response?: string | null | undefined;
  readonly status?: number | null | undefined;
}

/** Returns the error for a failed response or for an error event. */
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
    ...defined({ afterMs }),
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

const FOUND: ReadonlyMap<string, Diagnosis['found']> = new Map([
  ['cache_hit', 'hit'],
  ['comparison_response_not_found', 'unknown-response'],
  ['unavailable', 'unavailable'],
]);

/**
 * Translates the comparison with an earlier response. Returns no diagnosis if the field is missing, for example because
 * no comparison was requested. Also returns no diagnosis if the `type` of the comparison is unknown.
 */
function decodeDiagnosis(wire: ResponseWireDiagnostics | null | undefined): Pick<Answer, 'diagnosis'> {
  const { type, reason, cache_missed_tokens: missed } = wire ?? {};
  if (type !== 'cache_miss') {
    const found = FOUND.get(type ?? '');
    return found === undefined ? {} : { diagnosis: { found } };
  }
  const named = typeof reason === 'string' && { reason };
  return { diagnosis: { found: 'miss', ...named, ...(typeof missed === 'number' && { missed }) } };
}

/** True if a message contains a refusal. */
export function isRefusal(item: WireItem): boolean {
  return item.type === 'message' && recordsOf(item['content']).some(({ type }) => type === 'refusal');
}

/**
 * Returns the part of a finished item. `raw` is the text of the item. Reasoning, text with citations, and items that
 * are neither text nor a call, such as web searches, are kept verbatim.
 */
export function partOf(item: WireItem, raw: string): AnswerPart {
  switch (item.type) {
    case 'message':
      return messagePart(item, raw);
    case 'reasoning':
      return { type: 'reasoning', opaque: raw, text: reasoningText(item) };
    case 'function_call':
      return { type: 'call', ...calledIn(item), arguments: textOf(item, 'arguments') };
    default:
      return { type: 'native', provider: OPENAI.name, item: raw, text: `[${item.type}]` };
  }
}

/**
 * Returns the id and the tool name of a call. The id is empty if the item has none. The code that records the call then
 * creates an id.
 */
export function calledIn(item: WireItem): { readonly call: string; readonly name: string } {
  return { call: textOf(item, 'call_id'), name: textOf(item, 'name') };
}

function textOf(record: Readonly<Record<string, unknown>>, field: string): string {
  const value = Object.hasOwn(record, field) ? record[field] : undefined;
  return typeof value === 'string' ? value : '';
}

function messagePart(item: WireItem, raw: string): AnswerPart {
  const contents = recordsOf(item['content']);
  const text = contents.map((one) => textOf(one, 'text') || textOf(one, 'refusal')).join('');
  const isCited = contents.some(({ annotations }) => Array.isArray(annotations) && annotations.length > 0);
  return isCited ? { type: 'native', provider: OPENAI.name, item: raw, text } : textIn(item, text);
}

/** Returns the text of a message, with the message's phase if it has one. */
export function textIn({ phase }: WireItem, text: string): AnswerPart {
  return { type: 'text', text, ...(typeof phase === 'string' && { phase }) };
}

function reasoningText(item: WireItem): string {
  const summary = recordsOf(item['summary']).map((one) => textOf(one, 'text'));
  const texts = summary.length > 0 ? summary : recordsOf(item['content']).map((one) => textOf(one, 'text'));
  return texts.join('\n\n');
}

function recordsOf(value: unknown): readonly Readonly<Record<string, unknown>>[] {
  if (!Array.isArray(value)) return [];
  return value.filter((one): one is Record<string, unknown> => typeof one === 'object' && one !== null);
}
