// Finds the error code of a failure (provider-facts §1.6). The code determines the next action. The error type decides
// first. If the type is missing or has no code in this table, the status decides. The text decides last. The patterns
// for the text are loose, because Anthropic says that the wording can change.

import { defined } from '@tidemark/core';
import type { ProviderError, RefusedPlace } from '@tidemark/model';
import type { AnsweredFailure, FailureCode } from '@tidemark/provider-wire';
import { CODE_OF_STATUS, failedCall } from '@tidemark/provider-wire';
import { ANTHROPIC } from '../service.ts';

const BY_TYPE: ReadonlyMap<string, FailureCode> = new Map([
  ['rate_limit_error', 'provider/rate-limited'],
  ['overloaded_error', 'provider/overloaded'],
  ['api_error', 'provider/server'],
  ['conflict_error', 'provider/server'],
  ['timeout_error', 'provider/timeout'],
  ['request_too_large', 'provider/too-large'],
  ['not_found_error', 'provider/not-found'],
  ['authentication_error', 'provider/authentication'],
  ['billing_error', 'provider/billing'],
  ['permission_error', 'provider/permission'],
]);

const BY_STATUS: ReadonlyMap<number, FailureCode> = new Map([...CODE_OF_STATUS, [529, 'provider/overloaded']]);

/** Patterns of error texts. They apply only to a request that was refused as invalid. */
const BY_TEXT: readonly (readonly [RegExp, FailureCode])[] = [
  [
    /prompt is too long|exceeds? (the )?(model's )?(maximum )?context (limit|window|length)|too many tokens/i,
    'provider/too-long',
  ],
  [/\btoo many (images|documents)\b/i, 'provider/too-large'],
  // These errors concern one block and not the whole request: see `refusedPlace`.
  [/\bimages?\b/i, 'provider/invalid'],
  [/request (body )?(is )?too large|exceeds? .{0,40}\b(MB|bytes)\b/i, 'provider/too-large'],
  [
    /tool_use.{0,200}tool_result|tool_result.{0,200}tool_use|tool_result.{0,40}must come first/is,
    'provider/unclosed-history',
  ],
  [/credit balance/i, 'provider/billing'],
  [/not supported|does not support|unsupported/i, 'provider/unsupported'],
];

/** Returns the error to throw for a failed call. */
export function sortFailure(failure: AnsweredFailure): ProviderError {
  const { message, ...known } = failure;
  const refused = refusedPlace(message);
  return failedCall(ANTHROPIC, codeOf(failure), message, { ...known, ...defined({ refused }) });
}

function codeOf({ type, status, message }: AnsweredFailure): FailureCode {
  const typed = type === undefined ? undefined : BY_TYPE.get(type);
  if (typed !== undefined) return typed;
  const byStatus = status === undefined ? undefined : BY_STATUS.get(status);
  if (byStatus !== undefined) return byStatus;
  const invalid = type === 'invalid_request_error' || (status !== undefined && status >= 400 && status < 500);
  if (!invalid) return 'provider/server';
  return BY_TEXT.find(([pattern]) => pattern.test(message))?.[1] ?? 'provider/invalid';
}

const PATH = /\bmessages\.(\d+)(?:\.content\.(\d+))?(?:\.tool_result\.content\.(\d+))?/;

/**
 * Matches refusals about markers, about the position or the role of a message, and about settings. Tidemark sets all of
 * these itself. So it would not help to replace the content of a block.
 */
const NOT_OF_A_BLOCK = /cache_control|role 'system'|output_config|clear_at|prefill/;

const WORDS: readonly (readonly [NonNullable<RefusedPlace['holds']>, RegExp])[] = [
  ['thinking', /`(redacted_)?thinking`|thinking blocks?\b/i],
  ['call', /`tool_(use|result)`/],
  ['image', /\bimages?\b/i],
];

/**
 * Returns the place of the block that a refusal names in its text. If the text names no place, returns only the kind of
 * the block. Returns `undefined` if the refusal is not about a single block.
 */
export function refusedPlace(text: string): RefusedPlace | undefined {
  if (NOT_OF_A_BLOCK.test(text)) return undefined;
  const [, message, content, inner] = PATH.exec(text) ?? [];
  const holds = WORDS.find(([, words]) => words.test(text))?.[0];
  // A refusal can name a whole message, without a content index. It concerns a block only if its text is about calls.
  const pointed = message !== undefined && (content !== undefined || holds === 'call');
  if (!pointed && (holds === undefined || holds === 'call')) return undefined;
  return {
    ...defined({ holds }),
    ...(pointed && { message: Number(message) }),
    ...defined({
      content: content === undefined ? undefined : Number(content),
      inner: inner === undefined ? undefined : Number(inner),
    }),
  };
}
