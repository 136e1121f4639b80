// Creates the error of a failed call. The class of an error determines the next action, for example to retry or to
// compact. A call can fail in two ways: the service reports a failure, or the call breaks before the end of the answer.
// Each provider chooses the error code of a failure. The meaning of a code is the same for all providers.

import { defined } from '@tidemark/core';
import type { ProviderErrorClass, ProviderErrorCode, ProviderErrorData } from '@tidemark/model';
import { parseJson as parse, ProviderError } from '@tidemark/model';
import type { Service } from './service.ts';

/**
 * Error codes of a failure that the service itself reported. The excluded codes are for calls that ended without a
 * whole answer.
 */
export type FailureCode = Exclude<
  ProviderErrorCode,
  | 'provider/connection'
  | 'provider/cut'
  | 'provider/silent'
  | 'provider/malformed'
  | 'provider/aborted'
  | 'provider/address'
  | 'provider/oversized'
>;

type Next = readonly [ProviderErrorClass, step: string];

const NEXT: { readonly [code in FailureCode]: Next } = {
  'provider/rate-limited': ['retryable', 'send it again later'],
  'provider/overloaded': ['retryable', 'send it again later'],
  'provider/server': ['retryable', 'send it again'],
  'provider/timeout': ['retryable', 'send it again'],
  'provider/too-long': ['compaction', 'compact and send it again'],
  'provider/too-large': ['compaction', 'compact, images first, and send it again'],
  'provider/unclosed-history': ['refused', 'close or repair the open calls'],
  'provider/unsupported': ['refused', 'choose a model or a setting that fits'],
  'provider/invalid': ['refused', 'look at the request with `tidemark show`'],
  'provider/not-found': ['refused', 'check the name of the model and the address'],
  'provider/authentication': ['stop', 'check the API key'],
  'provider/billing': ['stop', 'check the credit of the account'],
  'provider/permission': ['stop', 'check the permissions of the API key'],
};

/**
 * Error code for an HTTP status, for every service. Used if the body of the answer contains nothing more specific
 * (provider facts 1.6, 2.5).
 */
export const CODE_OF_STATUS: ReadonlyMap<number, FailureCode> = new Map([
  [401, 'provider/authentication'],
  [402, 'provider/billing'],
  [403, 'provider/permission'],
  [404, 'provider/not-found'],
  [408, 'provider/timeout'],
  [409, 'provider/server'],
  [413, 'provider/too-large'],
  [429, 'provider/rate-limited'],
  [504, 'provider/timeout'],
]);

/** Maximum number of characters of an error type and of a request id. A server may send any length. */
const MAX_NAME = 200;

/**
 * Returns the error to throw for a failed call, with the server's message shortened. Only an error of the class
 * `retryable` contains the time to wait (`afterMs`). Only an error of the class `refused` contains the refused place
 * (`refused`) and field (`field`).
 */
export function failedCall(
  service: Service,
  code: FailureCode,
  message: string,
  known: Omit<ProviderErrorData, 'provider'>,
): ProviderError {
  const [next, step] = NEXT[code];
  const { afterMs, refused, field, type, request, ...rest } = known;
  const named = defined({
    type: type === undefined ? undefined : shortenText(type, MAX_NAME),
    request: request === undefined ? undefined : shortenText(request, MAX_NAME),
  });
  const word = [known.status, named.type].filter((one) => one !== undefined).join(' ');
  const did = next === 'retryable' ? 'did not answer' : 'refused';
  const text = `${service.title} ${did} the request${word === '' ? '' : ` (${word})`}: ${readableWords(message).replace(/\.+$/, '')}`;
  return new ProviderError(next, code, text, {
    provider: service.name,
    next: step,
    ...rest,
    ...named,
    ...(afterMs !== undefined && next === 'retryable' && { afterMs: boundedWait(afterMs) }),
    ...(refused !== undefined && next === 'refused' && { refused }),
    ...(field !== undefined && next === 'refused' && { field }),
  });
}

/** Returns the error for a call that its caller aborted. */
export function aborted({ name, title }: Service): ProviderError {
  const message = `the call to ${title} was aborted by its caller`;
  return new ProviderError('stop', 'provider/aborted', message, { provider: name });
}

/** Returns the error for a call whose connection or stream broke. The call may be sent again. */
export function brokenCallError(
  { name, title }: Service,
  code: ProviderErrorCode,
  what: string,
  cause?: Error,
): ProviderError {
  const message = `the call to ${title} failed: ${what}`;
  return new ProviderError('retryable', code, message, { provider: name, next: 'send it again' }, cause);
}

/** Returns the error for a call that received nothing for longer than allowed. */
export function silent(service: Service, idleMs: number): ProviderError {
  return brokenCallError(service, 'provider/silent', `no data arrived for ${idleMs} ms`);
}

/** Returns the error for a connection that ended before the answer began. */
export function closed(service: Service): ProviderError {
  return brokenCallError(service, 'provider/connection', 'the connection was closed before the answer began');
}

/** Returns the error for a stream that ended before the answer was finished. */
export function cut({ name, title }: Service): ProviderError {
  const message = `the stream of ${title} ended before the answer was finished`;
  return new ProviderError('retryable', 'provider/cut', message, { provider: name, next: 'send it again' });
}

/** Returns the error for data that cannot be read. The error is retryable, because the next answer may be correct. */
export function malformed({ name, title }: Service, what: string, cause?: unknown): ProviderError {
  const message = `${title} sent data that cannot be read: ${what}`;
  return new ProviderError(
    'retryable',
    'provider/malformed',
    message,
    { provider: name, next: 'send it again' },
    cause,
  );
}

/**
 * Returns the value of a JSON text.
 *
 * @throws ProviderError `provider/malformed` when the text is not JSON.
 */
export function parseJson(service: Service, text: string): unknown {
  try {
    return parse(text);
  } catch (cause) {
    throw malformed(service, 'an event or answer that is not JSON', cause);
  }
}

/**
 * Returns the result of `read`. `what` describes the data in the error message.
 *
 * @throws ProviderError `provider/malformed` when `read` throws.
 */
export function readAs<T>(service: Service, what: string, read: () => T): T {
  try {
    return read();
  } catch (cause) {
    throw malformed(service, `${what} does not have its documented shape`, cause);
  }
}

/** Longest wait that is accepted, in milliseconds: one week. A timer of Node.js can wait at most 24 days. */
const LONGEST_WAIT = 7 * 24 * 60 * 60 * 1_000;

/**
 * Returns the wait that a server asks for, in milliseconds, at most one week. The wait is in `retry-after-ms`, or in
 * `retry-after` as seconds or as a date. If it is a date, the wait begins at the time in the answer's `date` header.
 * Returns `undefined` if the headers contain no valid wait.
 */
export function retryAfter(headers: Headers | undefined): number | undefined {
  const wait = waitIn(headers);
  return wait === undefined ? undefined : boundedWait(wait);
}

function boundedWait(ms: number): number {
  return Math.min(ms, LONGEST_WAIT);
}

function waitIn(headers: Headers | undefined): number | undefined {
  const exact = positive(headers?.get('retry-after-ms'));
  if (exact !== undefined) return exact;
  const after = headers?.get('retry-after');
  const seconds = positive(after);
  if (seconds !== undefined) return seconds * 1_000;
  const wait = Date.parse(after ?? '') - Date.parse(headers?.get('date') ?? '');
  return Number.isNaN(wait) ? undefined : Math.max(0, wait);
}

function positive(text: string | null | undefined): number | undefined {
  if (text === null || text === undefined || text.trim() === '') return undefined;
  const number = Number(text);
  return Number.isFinite(number) && number >= 0 ? number : undefined;
}

/** Maximum number of characters of a server's message in an error message. */
const MAX_MESSAGE = 2_000;
const SEARCHED = 16_384;
const PAGE = /<(?:!doctype\s+html|html|head|body)\b/i;
const TITLE = /<title[^>]{0,200}>([^<]{1,200})/i;

function readableWords(text: string): string {
  return PAGE.test(text.slice(0, 1_000)) ? pageName(text) : shortenText(text, MAX_MESSAGE);
}

/** Returns a description of a page: its title, or its first 80 characters if it has no title. */
export function pageName(text: string): string {
  const beginning = text.slice(0, SEARCHED).trim();
  const title = TITLE.exec(beginning)?.[1]?.replace(/\s+/g, ' ').trim();
  const what = PAGE.test(beginning) ? 'an HTML page' : 'a page';
  if (title !== undefined && title !== '') return `${what} titled "${title}"`;
  return `${what} that begins with "${shortenText(beginning, 80)}"`;
}

function shortenText(text: string, most: number): string {
  if (text.length <= most) return text;
  // A surrogate pair that is cut in half is replaced, so the result is well-formed Unicode.
  return `${text.slice(0, most).toWellFormed()}… (${text.length} characters)`;
}
