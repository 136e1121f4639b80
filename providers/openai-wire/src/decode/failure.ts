// Failures sorted by what to do next (provider facts 2.5): the code first, then the status, and the text last and
// loosely. Compatible servers have codes of their own or none, so for a refusal the text has a word of its own.

import type { ProviderErrorClass, ProviderErrorCode } from '@tidemark/model';
import { ProviderError } from '@tidemark/model';
import type { Service } from '@tidemark/provider-wire';
import { refusedPlace } from './refused-place.ts';

/** What is known of a failed call. */
export interface Failure {
  readonly message: string;
  readonly status?: number;
  readonly code?: string;
  readonly type?: string;
  /** The parameter that the error is about. */
  readonly param?: string;
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

/** By the provider's code, or its type where that is as telling. */
const BY_CODE: ReadonlyMap<string, Sort> = new Map([
  ['context_length_exceeded', TOO_LONG],
  ['exceed_context_size_error', TOO_LONG],
  ['rate_limit_exceeded', RATE],
  ['insufficient_quota', BILLING],
  ['billing_hard_limit_reached', BILLING],
  ['invalid_api_key', KEY],
  ['model_not_found', NOT_FOUND],
  ['unsupported_parameter', UNSUPPORTED],
  ['unsupported_value', UNSUPPORTED],
  ['unsupported_country_region_territory', PERMISSION],
  ['invalid_prompt', INVALID],
  // One block, not the request: see `refusedPlace`.
  ['image_too_large', INVALID],
  ['image_file_too_large', INVALID],
  ['server_is_overloaded', OVERLOADED],
  ['slow_down', OVERLOADED],
  ['websocket_connection_limit_reached', SERVER],
  ['server_error', SERVER],
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
  [503, OVERLOADED],
  [504, TIMEOUT],
]);

/** Whatever the status: a request that is larger than a whole minute's allowance will never pass. */
const NEVER_FITS = /request too large for .{0,200}tokens per min/is;

/** Only for a request that was refused. */
const BY_TEXT: readonly (readonly [RegExp, Sort])[] = [
  [/context (window|length|size)|maximum context|prompt is too long|input is too long|too many tokens/i, TOO_LONG],
  [/\btoo many images\b/i, TOO_LARGE],
  [/\bimage (data|file|url|exceeds)\b|unsupported image/i, INVALID],
  [/request (body |entity )?(is )?too large|exceeds? .{0,40}\b(MB|bytes)\b/i, TOO_LARGE],
  [/no tool (output|call) found for|role 'tool' must be a response|'tool_calls' must be followed by/i, UNCLOSED],
  [/model .{0,120}(does not exist|not found)/i, NOT_FOUND],
  [/not supported|does not support|unsupported/i, UNSUPPORTED],
];

const AGAIN_IN = /try again in (\d+(?:\.\d+)?)\s?(ms|s|m)\b/i;
const MILLISECONDS: ReadonlyMap<string, number> = new Map([
  ['ms', 1],
  ['s', 1_000],
  ['m', 60_000],
]);

/** The error to throw for a failed call. Its `type` is the provider's code, or its type where no code came. */
export function sortFailure(service: Service, failure: Failure): ProviderError {
  const { message, status, request } = failure;
  const { next, code, step } = sort(failure);
  const type = failure.code ?? failure.type;
  const afterMs = failure.afterMs ?? waitIn(message);
  const word = [status, type].filter((one) => one !== undefined).join(' ');
  const refused = next === 'refused' ? refusedPlace(failure) : undefined;
  const said = `${service.title} did not answer the request${word === '' ? '' : ` (${word})`}: ${message}. Next: ${step}`;
  return new ProviderError(next, code, said, {
    provider: service.name,
    ...(status !== undefined && { status }),
    ...(type !== undefined && { type }),
    ...(request !== undefined && { request }),
    ...(afterMs !== undefined && next === 'retryable' && { afterMs }),
    ...(refused !== undefined && { refused }),
  });
}

function sort({ code, type, status, message }: Failure): Sort {
  if (NEVER_FITS.test(message)) return TOO_LONG;
  const named = BY_CODE.get(code ?? '') ?? BY_CODE.get(type ?? '');
  if (named !== undefined) return named;
  const byStatus = status === undefined ? undefined : BY_STATUS.get(status);
  if (byStatus !== undefined) return byStatus;
  const refused = type === 'invalid_request_error' || (status !== undefined && status >= 400 && status < 500);
  const told = BY_TEXT.find(([pattern]) => pattern.test(message))?.[1];
  // Some compatible servers answer an overflow with a 500.
  if (!refused) return told === TOO_LONG ? TOO_LONG : SERVER;
  return told ?? INVALID;
}

function waitIn(message: string): number | undefined {
  const [, number, unit] = AGAIN_IN.exec(message) ?? [];
  const each = MILLISECONDS.get(unit?.toLowerCase() ?? '');
  return number === undefined || each === undefined ? undefined : Math.ceil(Number(number) * each);
}
