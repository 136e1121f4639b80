// Converts the errors of an official SDK, or of the socket that it uses, to errors of the class `ProviderError`. The
// results never contain the API key, the token and the values of headers, even if a nested cause of the original error
// does.

import { defined } from '@tidemark/core';
import type { ProviderErrorCode } from '@tidemark/model';
import { ProviderError } from '@tidemark/model';
import { providerErrorIn } from './address.ts';
import { aborted, brokenCallError, retryAfter } from './call-errors.ts';
import type { Hide } from './credentials.ts';
import type { Service } from './service.ts';

/** Phase of a call when it failed: before the answer began, or during the answer. */
export type CallPhase = 'asking' | 'answering';

/** Facts about a call that a service answered with a failure. */
export interface AnsweredFailure {
  /** The service's own message, without the key. */
  readonly message: string;
  readonly status?: number;
  /** The service's name for the failure. */
  readonly type?: string;
  /** Id of the request. */
  readonly request?: string;
  /** Time to wait, in milliseconds, if the service reports it. */
  readonly afterMs?: number;
}

interface SdkError extends Error {
  readonly status: number | undefined;
  readonly headers: Headers | undefined;
  readonly type: string | null | undefined;
  readonly requestID: string | null | undefined;
}

/** The error classes of an SDK, and the functions that read its error for an answer with a failing status. */
export interface SdkErrors<E extends SdkError> {
  readonly APIError: abstract new (...args: never) => E;
  readonly APIConnectionError: abstract new (...args: never) => Error;
  readonly APIConnectionTimeoutError: abstract new (...args: never) => Error;
  readonly APIUserAbortError: abstract new (...args: never) => Error;
  /** Returns the service's own message from the SDK's error. */
  messageOf(error: E): string;
  /** Returns the error to throw for the failure, with the class that determines the next action. */
  sort(failure: AnsweredFailure, error: E): ProviderError;
}

/**
 * Returns the `ProviderError` for an error of a call. If the error or one of its causes is already a `ProviderError`,
 * its class and code are kept, and only the secrets are removed.
 */
export function mapError<E extends SdkError>(
  { service, hide }: { readonly service: Service; readonly hide: Hide },
  errors: SdkErrors<E>,
  error: unknown,
  phase: CallPhase,
): ProviderError {
  const sorted = providerErrorIn(error);
  if (sorted !== undefined) return withoutSecrets(sorted, hide);
  if (error instanceof errors.APIUserAbortError) return aborted(service);
  if (error instanceof errors.APIConnectionTimeoutError)
    return brokenCallError(service, 'provider/timeout', 'the answer did not begin in time');
  if (error instanceof errors.APIError && !(error instanceof errors.APIConnectionError))
    return withoutSecrets(errors.sort(failureOf(error, hide(errors.messageOf(error))), error), hide);
  const [code, what]: readonly [ProviderErrorCode, string] =
    phase === 'asking'
      ? ['provider/connection', 'the connection failed']
      : ['provider/cut', 'the connection broke during the answer'];
  return brokenCallError(service, code, `${what}: ${reasonsOf(error, hide)}`, plainCause(error, hide));
}

function failureOf({ status, type, requestID, headers }: SdkError, message: string): AnsweredFailure {
  const afterMs = retryAfter(headers);
  return {
    message,
    ...(typeof status === 'number' && { status }),
    ...(typeof type === 'string' && { type }),
    ...(typeof requestID === 'string' && { request: requestID }),
    ...defined({ afterMs }),
  };
}

/**
 * Returns the messages of the error and of its causes. The real reason is often some causes deep (`fetch failed` >
 * `ECONNREFUSED`).
 */
function reasonsOf(error: unknown, hide: Hide): string {
  const reasons: string[] = [];
  for (let at = error; at instanceof Error && reasons.length < 5; at = at.cause) {
    const code = 'code' in at && typeof at.code === 'string' ? ` (${at.code})` : '';
    reasons.push(`${at.message}${code}`);
  }
  return hide(reasons.length === 0 ? String(error) : reasons.join(': '));
}

/**
 * Returns a new error with the name and the message of the original. The original error may contain the headers that
 * were sent, so it is not used as a cause.
 */
function plainCause(error: unknown, hide: Hide): Error {
  return new Error(hide(error instanceof Error ? `${error.name}: ${error.message}` : String(error)));
}

function withoutSecrets(error: ProviderError, hide: Hide): ProviderError {
  const { cause } = error;
  // The message of a parser contains some of the bytes that it could not read. These bytes can be a part of the key,
  // and a search for the whole key does not find a part. So only the name of the error is used.
  const plain = cause instanceof SyntaxError ? new Error(cause.name) : cause && plainCause(cause, hide);
  const { type, request } = error.data;
  const hidden = defined({
    type: type === undefined ? undefined : hide(type),
    request: request === undefined ? undefined : hide(request),
  });
  return new ProviderError(error.class, error.code, hide(error.what), { ...error.data, ...hidden }, plain);
}
