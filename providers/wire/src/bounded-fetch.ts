// The fetch that every SDK client is given. It follows no redirect, reads a bounded part of an error response, and names the
// failures that a retry cannot fix.

import type { AddressReach } from './address.ts';
import { connectionError, redirected } from './address.ts';
import { ERROR_BYTES } from './answer-limits.ts';
import { malformed } from './broken-call.ts';
import { boundedHeaders } from './bounded-body.ts';
import type { Service } from './service.ts';

/** What the fetch is made of. */
export interface FetchOptions {
  readonly service: Service;
  readonly reach: AddressReach;
  /** Longest silence of a call, in milliseconds. The body of an error response is waited for at most half as long. */
  readonly idleMs: number;
  /** Used instead of the global one. */
  readonly fetch?: typeof globalThis.fetch | undefined;
}

/** Longest wait for the body of an error response, in milliseconds. What has arrived by then is used. */
const ERROR_BODY_MS = 5_000;

/**
 * Returns a fetch with the limits above. Errors that `connectionError` does not know pass as they are thrown.
 *
 * @throws ProviderError `provider/address` for a redirect, and for an address or a certificate that a retry cannot fix;
 *   `provider/oversized` for headers that are too large; `provider/malformed` for a status that HTTP does not have.
 */
export function boundFetch({ service, reach, idleMs, fetch }: FetchOptions): typeof globalThis.fetch {
  return async (input, init) => {
    const response = await ask(fetch ?? globalThis.fetch, input, init).catch((error: unknown) => {
      throw connectionError(service, error, reach) ?? error;
    });
    reach.answered = true;
    if (response.ok) return response;
    if (isRedirect(response)) {
      await discard(response);
      throw redirected(service, response.headers.get('location'), addressOf(input));
    }
    if (response.status < 400 || response.status > 599) {
      await discard(response);
      throw malformed(service, `the status ${response.status}`);
    }
    const body = await beginningOf(response, Math.min(ERROR_BODY_MS, idleMs / 2));
    return new Response(body, { status: response.status, headers: boundedHeaders(response) });
  };
}

function ask(
  fetch: typeof globalThis.fetch,
  input: Parameters<typeof globalThis.fetch>[0],
  init: RequestInit | undefined,
): Promise<Response> {
  return fetch(input, { ...init, redirect: 'manual' });
}

/** A browser hides the status of a redirect that it did not follow. */
function isRedirect({ status, type }: Response): boolean {
  return type === 'opaqueredirect' || (status >= 300 && status < 400);
}

function addressOf(input: Parameters<typeof globalThis.fetch>[0]): string {
  return input instanceof Request ? input.url : String(input);
}

async function discard(response: Response): Promise<void> {
  await response.body?.cancel().catch(() => undefined);
}

/** The first bytes of a body: at most `ERROR_BYTES`, and what arrives within the time. An abort of the call ends it too. */
async function beginningOf(response: Response, ms: number): Promise<Uint8Array<ArrayBuffer>> {
  const reader = response.body?.getReader();
  if (reader === undefined) return new Uint8Array();
  const { promise: late, resolve } = Promise.withResolvers<'late'>();
  const timer = setTimeout(() => resolve('late'), ms);
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  try {
    while (bytes < ERROR_BYTES) {
      const next = await Promise.race([reader.read(), late]);
      if (next === 'late' || next.done) break;
      chunks.push(next.value.subarray(0, ERROR_BYTES - bytes));
      bytes += next.value.length;
    }
  } catch {
    // The status says what failed, however the body ended.
  } finally {
    clearTimeout(timer);
    reader.cancel().catch(() => undefined);
  }
  return new Uint8Array(Buffer.concat(chunks));
}
