// Failures sorted by what to do next (provider facts 1.6): the type first, the status where no type came, and the text
// last and loosely, as the vendor says that its wording may change.

import type { ProviderErrorClass, ProviderErrorCode } from '@tidemark/model';
import { ProviderError } from '@tidemark/model';
import { PROVIDER } from '../encode/refuse.ts';
import { refusedPlace } from './refused-place.ts';

/** What is known of a failed call. */
export interface Failure {
  readonly message: string;
  readonly status?: number;
  /** The provider's word. */
  readonly type?: string;
  readonly request?: string;
  readonly afterMs?: number;
}

interface Sort {
  readonly next: ProviderErrorClass;
  readonly code: ProviderErrorCode;
  readonly step: string;
}

const RATE: Sort = { next: 'retryable', code: 'provider/rate-limited', step: 'send it again later' };
const OVERLOADED: Sort = { next: 'retryable', code: 'provider/overloaded', step: 'send it again later' };
const SERVER: Sort = { next: 'retryable', code: 'provider/server', step: 'send it again' };
const TIMEOUT: Sort = { next: 'retryable', code: 'provider/timeout', step: 'send it again' };
const TOO_LONG: Sort = { next: 'compaction', code: 'provider/too-long', step: 'compact and send it again' };
const TOO_LARGE: Sort = {
  next: 'compaction',
  code: 'provider/too-large',
  step: 'compact, images first, and send it again',
};
const UNCLOSED: Sort = { next: 'refused', code: 'provider/unclosed-history', step: 'close or repair the open calls' };
const UNSUPPORTED: Sort = {
  next: 'refused',
  code: 'provider/unsupported',
  step: 'choose a model or a setting that fits',
};
const INVALID: Sort = { next: 'refused', code: 'provider/invalid', step: 'look at the request with `tidemark show`' };
const NOT_FOUND: Sort = {
  next: 'refused',
  code: 'provider/not-found',
  step: 'check the name of the model and the address',
};
const KEY: Sort = { next: 'stop', code: 'provider/authentication', step: 'check the API key' };
const BILLING: Sort = { next: 'stop', code: 'provider/billing', step: 'check the credit of the account' };
const PERMISSION: Sort = { next: 'stop', code: 'provider/permission', step: 'check what the API key may do' };

const BY_TYPE: ReadonlyMap<string, Sort> = new Map([
  ['rate_limit_error', RATE],
  ['overloaded_error', OVERLOADED],
  ['api_error', SERVER],
  ['conflict_error', SERVER],
  ['timeout_error', TIMEOUT],
  ['request_too_large', TOO_LARGE],
  ['not_found_error', NOT_FOUND],
  ['authentication_error', KEY],
  ['billing_error', BILLING],
  ['permission_error', PERMISSION],
]);

const BY_STATUS: ReadonlyMap<number, Sort> = new Map([
  [401, KEY],
  [402, BILLING],
  [403, PERMISSION],
  [404, NOT_FOUND],
  [408, TIMEOUT],
  [409, SERVER],
  [413, TOO_LARGE],
  [429, RATE],
  [504, TIMEOUT],
  [529, OVERLOADED],
]);

/** Only for a request that was refused as invalid. */
const BY_TEXT: readonly (readonly [RegExp, Sort])[] = [
  [/prompt is too long|exceeds? (the )?(model's )?(maximum )?context (limit|window|length)|too many tokens/i, TOO_LONG],
  [/\btoo many (images|documents)\b/i, TOO_LARGE],
  // One block, not the request: see `refusedPlace`.
  [/\bimages?\b/i, INVALID],
  [/request (body )?(is )?too large|exceeds? .{0,40}\b(MB|bytes)\b/i, TOO_LARGE],
  [/tool_use.{0,200}tool_result|tool_result.{0,200}tool_use|tool_result.{0,40}must come first/is, UNCLOSED],
  [/credit balance/i, BILLING],
  [/not supported|does not support|unsupported/i, UNSUPPORTED],
];

/** The error to throw for a failed call. */
export function sortFailure(failure: Failure): ProviderError {
  const { message, ...known } = failure;
  const { next, code, step } = sort(failure);
  const word = [failure.status, failure.type].filter((one) => one !== undefined).join(' ');
  const said = `Anthropic did not answer the request${word === '' ? '' : ` (${word})`}: ${message}. Next: ${step}`;
  const refused = next === 'refused' ? refusedPlace(message) : undefined;
  return new ProviderError(next, code, said, {
    provider: PROVIDER,
    ...known,
    ...(refused !== undefined && { refused }),
  });
}

function sort({ type, status, message }: Failure): Sort {
  const typed = type === undefined ? undefined : BY_TYPE.get(type);
  if (typed !== undefined) return typed;
  const byStatus = status === undefined ? undefined : BY_STATUS.get(status);
  if (byStatus !== undefined) return byStatus;
  const invalid = type === 'invalid_request_error' || (status !== undefined && status >= 400 && status < 500);
  if (!invalid) return SERVER;
  return BY_TEXT.find(([pattern]) => pattern.test(message))?.[1] ?? INVALID;
}
