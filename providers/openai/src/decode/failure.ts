// Finds the error code of a failure (provider-facts §2.5). The code determines the next action. The provider's code
// decides first, then the status, then the text. The patterns for the text are loose. Compatible servers have other
// codes or no codes. So if a request was refused with a general status such as 400, the text also decides.

import { defined } from '@tidemark/core';
import type { ProviderError, RefusedPlace } from '@tidemark/model';
import type { AnsweredFailure, FailureCode, Service } from '@tidemark/provider-wire';
import { CODE_OF_STATUS, failedCall } from '@tidemark/provider-wire';

/** Data about a failed call, as OpenAI or a compatible server reports it. */
export interface OpenAIFailure extends AnsweredFailure {
  readonly code?: string;
  /** The request parameter that the error is about. */
  readonly param?: string;
}

/** Failures by the provider's `code`, or by its `type` if the code is missing or unknown. */
const BY_CODE: ReadonlyMap<string, FailureCode> = new Map([
  ['context_length_exceeded', 'provider/too-long'],
  ['exceed_context_size_error', 'provider/too-long'],
  ['rate_limit_exceeded', 'provider/rate-limited'],
  ['insufficient_quota', 'provider/billing'],
  ['billing_hard_limit_reached', 'provider/billing'],
  ['invalid_api_key', 'provider/authentication'],
  ['model_not_found', 'provider/not-found'],
  ['unsupported_parameter', 'provider/unsupported'],
  ['unsupported_value', 'provider/unsupported'],
  ['unsupported_country_region_territory', 'provider/permission'],
  ['invalid_prompt', 'provider/invalid'],
  // These errors concern one block and not the whole request: see `refusedPlace`.
  ['image_too_large', 'provider/invalid'],
  ['image_file_too_large', 'provider/invalid'],
  ['server_is_overloaded', 'provider/overloaded'],
  ['slow_down', 'provider/overloaded'],
  ['websocket_connection_limit_reached', 'provider/server'],
  ['server_error', 'provider/server'],
]);

const BY_STATUS: ReadonlyMap<number, FailureCode> = new Map([...CODE_OF_STATUS, [503, 'provider/overloaded']]);

/**
 * Matches the message for a request that is larger than the limit of tokens per minute. Such a request can never
 * succeed. So its code and its status are ignored.
 */
const NEVER_FITS = /request too large for .{0,200}tokens per min/is;

/**
 * Patterns of error texts for a refused request, with a failure code for each. The patterns are also tested on the text
 * of a server error, but then only `provider/too-long` counts.
 */
const BY_TEXT: readonly (readonly [RegExp, FailureCode])[] = [
  [
    /context (window|length|size)|maximum context|prompt is too long|input is too long|too many tokens/i,
    'provider/too-long',
  ],
  [/\btoo many images\b/i, 'provider/too-large'],
  [/\bimage (data|file|url|exceeds)\b|unsupported image/i, 'provider/invalid'],
  [/request (body |entity )?(is )?too large|exceeds? .{0,40}\b(MB|bytes)\b/i, 'provider/too-large'],
  [
    /no tool (output|call) found for|role 'tool' must be a response|'tool_calls' must be followed by/i,
    'provider/unclosed-history',
  ],
  [/model .{0,120}(does not exist|not found)/i, 'provider/not-found'],
  [/not supported|does not support|unsupported/i, 'provider/unsupported'],
];

const AGAIN_IN = /try again in (\d+(?:\.\d+)?)\s?(ms|s|m)\b/i;
const MILLISECONDS: ReadonlyMap<string, number> = new Map([
  ['ms', 1],
  ['s', 1_000],
  ['m', 60_000],
]);

/**
 * Returns the error to throw for a failed call. The `type` of the error is the provider's code, or the provider's type
 * if there is no code.
 */
export function sortFailure(service: Service, failure: OpenAIFailure): ProviderError {
  const { message, status, request } = failure;
  const type = failure.code ?? failure.type;
  const afterMs = failure.afterMs ?? waitIn(message);
  const refused = refusedPlace(failure);
  const field = optionalField(failure);
  return failedCall(service, codeOf(failure), message, defined({ status, type, request, afterMs, refused, field }));
}

/** Fields of the body that an answer does not need. A server may refuse them. */
const OPTIONAL: ReadonlyMap<string, RegExp> = new Map([['stream_options', /stream_options|include_usage/i]]);

/** Returns the optional field that a refusal names. */
function optionalField({ status, param = '', message }: OpenAIFailure): string | undefined {
  if (status !== 400 && status !== 422) return undefined;
  return [...OPTIONAL].find(([, pattern]) => pattern.test(param) || pattern.test(message))?.[0];
}

function codeOf({ code, type, status, message }: OpenAIFailure): FailureCode {
  if (NEVER_FITS.test(message)) return 'provider/too-long';
  const named = BY_CODE.get(code ?? '') ?? BY_CODE.get(type ?? '');
  if (named !== undefined) return named;
  const byStatus = status === undefined ? undefined : BY_STATUS.get(status);
  if (byStatus !== undefined) return byStatus;
  const refused = type === 'invalid_request_error' || (status !== undefined && status >= 400 && status < 500);
  const byText = BY_TEXT.find(([pattern]) => pattern.test(message))?.[1];
  // Some compatible servers answer with a 500 when the request is too long for the context.
  if (!refused) return byText === 'provider/too-long' ? 'provider/too-long' : 'provider/server';
  return byText ?? 'provider/invalid';
}

function waitIn(message: string): number | undefined {
  const [, number, unit] = AGAIN_IN.exec(message) ?? [];
  const each = MILLISECONDS.get(unit?.toLowerCase() ?? '');
  return number === undefined || each === undefined ? undefined : Math.ceil(Number(number) * each);
}

const PATH = /\b(?:input|messages)\.?\[(\d+)\](?:\.(content|output)\[(\d+)\])?/;

/**
 * Matches `No tool output found for function call call_1.` and `No tool call found for function call output with
 * call_id call_1.`
 */
const CALL = /\bno tool (?:output|call) found for .{0,40}?call(?: output with call_id)? ([a-zA-Z0-9_-]+)\.?$/i;

const REASONING = /of type 'reasoning'|Item with id 'rs_/;

interface RefusalWords {
  readonly message: string;
  readonly code?: string;
  readonly param?: string;
}

/** Returns the block that a refusal names, or `undefined` if the refusal is not about a single block. */
export function refusedPlace({ code = '', param = '', message }: RefusalWords): RefusedPlace | undefined {
  const [, index, list, at] = PATH.exec(param) ?? PATH.exec(message) ?? [];
  const [, call] = CALL.exec(message) ?? [];
  const holds = holdsOf(code, message, call);
  // A refusal can name a whole item or one of its fields. Then the cause may be the way in which Tidemark built the
  // item. So a path names a block only if it points to a part of the item, or if the text contains the kind of the
  // block.
  const pointed = index !== undefined && (at !== undefined || holds !== undefined);
  if (!pointed && holds === undefined) return undefined;
  return {
    ...defined({ holds }),
    ...(pointed && { message: Number(index) }),
    ...(at !== undefined && { [list === 'content' ? 'content' : 'inner']: Number(at) }),
    ...defined({ call }),
  };
}

function holdsOf(code: string, message: string, call: string | undefined): RefusedPlace['holds'] {
  if (code === 'invalid_encrypted_content' || REASONING.test(message)) return 'thinking';
  if (call !== undefined) return 'call';
  return /image/.test(code) || /\bimages?\b|image_url/i.test(message) ? 'image' : undefined;
}
