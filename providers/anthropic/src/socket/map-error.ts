// What the official SDK, or the socket under it, throws becomes a ProviderError. The key never passes.

import { APIConnectionError, APIConnectionTimeoutError, APIError, APIUserAbortError } from '@anthropic-ai/sdk';
import type { ProviderError, ProviderErrorCode } from '@tidemark/model';
import type { Hide } from '@tidemark/provider-wire';
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
import type { AnthropicFailure } from '../decode/failure.ts';
import { sortFailure } from '../decode/failure.ts';
import { ANTHROPIC } from '../service.ts';

/** Where a call was when it failed: before the answer began, or in it. */
export type MessagePhase = 'asking' | 'answering';

/** Sorts anything thrown by a call. What is a ProviderError already passes as it is, less the secret. */
export function mapError(error: unknown, phase: MessagePhase, secret: string): ProviderError {
  const hide = hideKey(secret);
  const sorted = providerErrorIn(error);
  if (sorted !== undefined) return withoutKey(sorted, hide);
  if (error instanceof APIUserAbortError) return aborted(ANTHROPIC);
  if (error instanceof APIConnectionTimeoutError)
    return broken(ANTHROPIC, 'provider/timeout', 'no answer began in time');
  if (error instanceof APIError && !(error instanceof APIConnectionError)) return sortFailure(failureOf(error, hide));
  const [code, what]: readonly [ProviderErrorCode, string] =
    phase === 'asking'
      ? ['provider/connection', 'the connection failed']
      : ['provider/cut', 'the connection broke inside the answer'];
  return broken(ANTHROPIC, code, `${what}: ${reasonsOf(error, hide)}`, plainCause(error, hide));
}

function failureOf(error: APIError, hide: Hide): AnthropicFailure {
  const afterMs = retryAfter(error.headers);
  return {
    message: hide(error.apiMessage ?? error.message),
    ...(typeof error.status === 'number' && { status: error.status }),
    ...(typeof error.type === 'string' && { type: error.type }),
    ...(typeof error.requestID === 'string' && { request: error.requestID }),
    ...(afterMs !== undefined && { afterMs }),
  };
}
