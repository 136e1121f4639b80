// What the official SDK, or the socket under it, throws becomes a ProviderError. The key never passes.

import { APIConnectionError, APIConnectionTimeoutError, APIError, APIUserAbortError } from 'openai';
import type { ProviderErrorCode } from '@tidemark/model';
import { ProviderError } from '@tidemark/model';
import type { Failure } from '../wire/failure.ts';
import { sortFailure } from '../wire/failure.ts';
import { PROVIDER } from '../wire/refuse.ts';

/** Where a call was when it failed: before the answer began, or in it. */
export type Phase = 'asking' | 'answering';

/** Sorts anything thrown by a call. What is a ProviderError already passes as it is, less the secret. */
export function mapError(error: unknown, phase: Phase, secret: string): ProviderError {
  const hide = (text: string): string => (secret === '' ? text : text.replaceAll(secret, '[key]'));
  if (error instanceof ProviderError) return hidden(error, hide);
  if (error instanceof APIUserAbortError) return aborted();
  if (error instanceof APIConnectionTimeoutError)
    return broken('provider/timeout', 'no answer began in time', undefined);
  if (error instanceof APIError && !(error instanceof APIConnectionError)) return sortFailure(failureOf(error, hide));
  const [code, what]: readonly [ProviderErrorCode, string] =
    phase === 'asking'
      ? ['provider/connection', 'the connection failed']
      : ['provider/cut', 'the connection broke inside the answer'];
  return broken(code, `${what}: ${hide(reasons(error))}`, plainCause(error, hide));
}

/** The caller gave up on the call. */
export function aborted(): ProviderError {
  return new ProviderError('stop', 'provider/aborted', 'the call to OpenAI was aborted by its caller', {
    provider: PROVIDER,
  });
}

/** Nothing came for longer than allowed. */
export function silent(idleMs: number): ProviderError {
  return broken('provider/silent', `nothing came for ${idleMs} ms`, undefined);
}

function broken(code: ProviderErrorCode, what: string, cause: Error | undefined): ProviderError {
  const message = `the call to OpenAI broke: ${what}. Next: send it again`;
  return new ProviderError('retryable', code, message, { provider: PROVIDER }, cause);
}

function failureOf(error: APIError, hide: (text: string) => string): Failure {
  const afterMs = retryAfter(error.headers);
  return {
    message: hide(messageOf(error)),
    ...(typeof error.code === 'string' && { code: error.code }),
    ...(typeof error.status === 'number' && { status: error.status }),
    ...(typeof error.type === 'string' && { type: error.type }),
    ...(typeof error.requestID === 'string' && { request: error.requestID }),
    ...(afterMs !== undefined && { afterMs }),
  };
}

// The SDK puts the status before the server's own words.
function messageOf(error: APIError): string {
  const body: unknown = error.error;
  const said = typeof body === 'object' && body !== null && 'message' in body ? body.message : undefined;
  return typeof said === 'string' ? said : error.message;
}

/** Milliseconds: from `retry-after-ms`, from `retry-after` in seconds, or as a date against the answer's own `date`. */
function retryAfter(headers: Headers | undefined): number | undefined {
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

// The reason lies some causes deep (`fetch failed` > `ECONNREFUSED`): all of them are said.
function reasons(error: unknown): string {
  const said: string[] = [];
  for (let at = error; at instanceof Error && said.length < 5; at = at.cause) {
    const code = 'code' in at && typeof at.code === 'string' ? ` (${at.code})` : '';
    said.push(`${at.message}${code}`);
  }
  return said.length === 0 ? String(error) : said.join(': ');
}

// Not the error itself: it may hold the headers that were sent.
function plainCause(error: unknown, hide: (text: string) => string): Error {
  return new Error(hide(error instanceof Error ? `${error.name}: ${error.message}` : String(error)));
}

function hidden(error: ProviderError, hide: (text: string) => string): ProviderError {
  const message = hide(error.message);
  if (message === error.message) return error;
  return new ProviderError(error.class, error.code, message, error.data);
}
