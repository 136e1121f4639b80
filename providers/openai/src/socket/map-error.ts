// What the official SDK, or the socket under it, throws becomes a ProviderError. The key never passes.

import { APIConnectionError, APIConnectionTimeoutError, APIError, APIUserAbortError } from 'openai';
import type { ProviderError, ProviderErrorCode } from '@tidemark/model';
import type { Hide, Service } from '@tidemark/provider-wire';
import {
  aborted,
  broken,
  hideKey,
  plainCause,
  providerErrorIn,
  reasonsOf,
  retryAfter,
  withoutKey,
} from '@tidemark/provider-wire';
import type { OpenAIFailure } from '../decode/failure.ts';
import { sortFailure } from '../decode/failure.ts';

/** Where a call was when it failed: before the answer began, or in it. */
export type CallPhase = 'asking' | 'answering';

/** Sorts anything thrown by a call. What is a ProviderError already passes as it is, less the secret. */
export function mapError(service: Service, error: unknown, phase: CallPhase, secret: string): ProviderError {
  const hide = hideKey(secret);
  const sorted = providerErrorIn(error);
  if (sorted !== undefined) return withoutKey(sorted, hide);
  if (error instanceof APIUserAbortError) return aborted(service);
  if (error instanceof APIConnectionTimeoutError) return broken(service, 'provider/timeout', 'no answer began in time');
  if (error instanceof APIError && !(error instanceof APIConnectionError))
    return sortFailure(service, failureOf(error, hide));
  const [code, what]: readonly [ProviderErrorCode, string] =
    phase === 'asking'
      ? ['provider/connection', 'the connection failed']
      : ['provider/cut', 'the connection broke inside the answer'];
  return broken(service, code, `${what}: ${reasonsOf(error, hide)}`, plainCause(error, hide));
}

function failureOf(error: APIError, hide: Hide): OpenAIFailure {
  const afterMs = retryAfter(error.headers);
  return {
    message: hide(messageOf(error)),
    ...(typeof error.code === 'string' && { code: error.code }),
    ...(typeof error.param === 'string' && { param: error.param }),
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
