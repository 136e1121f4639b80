// Turns a fault of `../core/faults.ts` into a refusal with Anthropic's error texts, and builds the response body of a
// refusal.

import { refuse } from '../core/refusal.ts';
import type { MessageRefusal } from '../core/refusal.ts';
import { defined } from '@tidemark/core';
import type { Fault } from '../core/faults.ts';

/**
 * Returns the refusal for a fault. Returns `undefined` if there is no fault, or if the fault affects only the stream,
 * the cache or the usage.
 */
export function refusalOf(fault: Fault | undefined): MessageRefusal | undefined {
  switch (fault?.kind) {
    case 'rate-limited':
      return rateLimited(fault.retryAfter);
    case 'overloaded':
      return refuse(529, 'overloaded_error', 'Overloaded');
    case 'server-error':
      return refuse(500, 'api_error', 'Internal server error');
    case 'refused':
      return refuse(fault.status ?? 400, fault.type ?? 'invalid_request_error', fault.message);
    default:
      return undefined;
  }
}

function rateLimited(retryAfter: number | undefined): MessageRefusal {
  const headers: { readonly [name: string]: string } =
    retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) };
  const text = "This request would exceed your organization's rate limit. Please try again later.";
  return refuse(429, 'rate_limit_error', text, headers);
}

/** Returns the response body of a refusal as JSON text (provider-facts §1.6). `request` is the request id. */
export function errorBody(
  { type, message, details }: Pick<MessageRefusal, 'type' | 'message' | 'details'>,
  request: string,
): string {
  return JSON.stringify({
    type: 'error',
    error: defined({ type, message, details }),
    request_id: request,
  });
}
