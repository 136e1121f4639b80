// Parses the events and responses of the Responses API from `unknown` into types. Only the fields that are used are
// checked. All other fields are accepted as they are.

import { MAX_TOKENS } from '@tidemark/provider-wire';
import { z } from 'zod';
import type { WireCount } from '../decode/usage.ts';

type ResponseWord = string | null | undefined;

/** Token counts as the API sends them. Any field may be missing or null. */
export interface ResponseUsage {
  readonly input_tokens?: WireCount;
  readonly input_tokens_details?:
    | {
        readonly cached_tokens?: WireCount;
        readonly cache_write_tokens?: WireCount;
        readonly cache_write_tokens_details?:
          | { readonly ttl_30m_tokens?: WireCount; readonly ttl_12h_tokens?: WireCount }
          | null
          | undefined;
      }
    | null
    | undefined;
  readonly output_tokens?: WireCount;
  readonly output_tokens_details?: { readonly reasoning_tokens?: WireCount } | null | undefined;
}

/** The API's comparison with an earlier response. */
export interface ResponseWireDiagnostics {
  readonly type?: ResponseWord;
  readonly reason?: ResponseWord;
  readonly cache_missed_tokens?: WireCount;
}

/** An output item with all its fields. */
export interface WireItem {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** Error in an event or in a failed response. */
export interface WireError {
  readonly code?: ResponseWord;
  readonly message?: ResponseWord;
  readonly type?: ResponseWord;
  readonly param?: ResponseWord;
  /** Headers that the answer would have had over HTTP. Sent only over a WebSocket. */
  readonly headers?: { readonly [name: string]: string } | null | undefined;
}

/** Response object of a stream event (at the beginning or the end of an answer), or of an answer without streaming. */
export interface WireResponse {
  readonly id?: ResponseWord;
  readonly model?: ResponseWord;
  readonly status?: ResponseWord;
  readonly incomplete_details?: { readonly reason?: ResponseWord } | null | undefined;
  readonly error?: WireError | null | undefined;
  readonly usage?: ResponseUsage | null | undefined;
  readonly prompt_cache_options?: { readonly ttl?: ResponseWord } | null | undefined;
  readonly prompt_cache_diagnostics?: ResponseWireDiagnostics | null | undefined;
  readonly output?: readonly WireItem[] | null | undefined;
}

interface Response {
  readonly response: WireResponse;
}
interface Item {
  readonly output_index: number;
  readonly item: WireItem;
}
interface Delta {
  readonly output_index: number;
  readonly delta: string;
}

/** The stream events that this decoder reads, by type. */
export interface ResponseEvents {
  readonly 'response.created': Response;
  readonly 'response.output_item.added': Item;
  readonly 'response.output_text.delta': Delta;
  readonly 'response.refusal.delta': Delta;
  readonly 'response.reasoning_summary_part.added': { readonly output_index: number; readonly summary_index: number };
  readonly 'response.reasoning_summary_text.delta': Delta;
  readonly 'response.reasoning_text.delta': Delta;
  readonly 'response.function_call_arguments.delta': Delta;
  readonly 'response.output_item.done': Item;
  readonly 'response.completed': Response;
  readonly 'response.incomplete': Response;
  readonly 'response.failed': Response;
  /**
   * Error event. Over a WebSocket, the field `error` contains the error, and the field `status` contains the status
   * that an HTTP answer would have had.
   */
  readonly error: WireError & { readonly status?: WireCount; readonly error?: WireError | null | undefined };
}

/** Type of a stream event that this decoder reads. */
export type ResponseEventType = keyof ResponseEvents;

// An invalid count becomes `undefined` (unknown) instead of an error, so the rest of the answer is kept.
const count: z.ZodType<WireCount> = z.number().int().nonnegative().max(MAX_TOKENS).nullish().catch(undefined);
const name: z.ZodType<ResponseWord> = z.string().nullish();
const index: z.ZodType<number> = z.number().int().nonnegative();
const item: z.ZodType<WireItem> = z.looseObject({ type: z.string() });
// Headers or a `param` of another form become `undefined`, so the error itself is still reported.
const headers = z.record(z.string(), z.string()).refine(areHeaders).nullish().catch(undefined);
const param = name.catch(undefined);
const error: z.ZodType<WireError> = z.looseObject({ code: name, message: name, type: name, param, headers });

const usage: z.ZodType<ResponseUsage> = z.looseObject({
  input_tokens: count,
  input_tokens_details: z
    .looseObject({
      cached_tokens: count,
      cache_write_tokens: count,
      cache_write_tokens_details: z
        .looseObject({ ttl_30m_tokens: count, ttl_12h_tokens: count })
        .nullish()
        .catch(undefined),
    })
    .nullish()
    .catch(undefined),
  output_tokens: count,
  output_tokens_details: z.looseObject({ reasoning_tokens: count }).nullish().catch(undefined),
});

/** A comparison of an unknown form is dropped instead of causing an error, so the rest of the answer is kept. */
const diagnostics: z.ZodType<ResponseWireDiagnostics | null | undefined> = z
  .looseObject({ type: name, reason: name, cache_missed_tokens: count })
  .nullish()
  .catch(undefined);

const response: z.ZodType<WireResponse> = z.looseObject({
  id: name,
  model: name,
  status: name,
  incomplete_details: z.looseObject({ reason: name }).nullish(),
  error: error.nullish(),
  usage: usage.nullish().catch(undefined),
  prompt_cache_options: z.looseObject({ ttl: name }).nullish(),
  prompt_cache_diagnostics: diagnostics,
  output: z.array(item).nullish(),
});

const aboutResponse: z.ZodType<Response> = z.looseObject({ response });
const aboutItem: z.ZodType<Item> = z.looseObject({ output_index: index, item });
const delta: z.ZodType<Delta> = z.looseObject({ output_index: index, delta: z.string() });

const EVENTS: { readonly [T in ResponseEventType]: z.ZodType<ResponseEvents[T]> } = {
  'response.created': aboutResponse,
  'response.output_item.added': aboutItem,
  'response.output_text.delta': delta,
  'response.refusal.delta': delta,
  'response.reasoning_summary_part.added': z.looseObject({ output_index: index, summary_index: index }),
  'response.reasoning_summary_text.delta': delta,
  'response.reasoning_text.delta': delta,
  'response.function_call_arguments.delta': delta,
  'response.output_item.done': aboutItem,
  'response.completed': aboutResponse,
  'response.incomplete': aboutResponse,
  'response.failed': aboutResponse,
  error: z.looseObject({
    code: name,
    message: name,
    type: name,
    param,
    headers,
    status: count,
    error: error.nullish(),
  }),
};

function areHeaders(fields: Readonly<Record<string, string>>): boolean {
  try {
    void new Headers(fields);
    return true;
  } catch {
    return false;
  }
}

/**
 * True if this decoder reads events of the given type. The caller ignores all other types, because the API may add new
 * ones.
 */
export function isReadEvent(type: string): type is ResponseEventType {
  return Object.hasOwn(EVENTS, type);
}

/**
 * Checks one event and returns it with its type.
 *
 * @throws ZodError when the event does not have the documented shape.
 */
export function readEvent<T extends ResponseEventType>(type: T, data: unknown): ResponseEvents[T] {
  return EVENTS[type].parse(data);
}

/**
 * Checks a whole response and returns it with its type.
 *
 * @throws ZodError when the response does not have the documented shape.
 */
export function readResponse(data: unknown): WireResponse {
  return response.parse(data);
}

const counted: z.ZodType<{ readonly input_tokens: number }> = z.looseObject({ input_tokens: index });

/**
 * Returns the token count from an answer of the count endpoint.
 *
 * @throws ZodError when the answer does not have the documented shape.
 */
export function readCount(data: unknown): number {
  return counted.parse(data).input_tokens;
}
