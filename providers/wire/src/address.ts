// Failures of an address: no server listens there, or the server is not the provider. A retry fixes none of these
// failures.

import { ProviderError } from '@tidemark/model';
import { oversized } from './answer-limits.ts';
import type { Service } from './service.ts';

/** State of an address: shows if a server at this address has ever answered. */
export interface AddressReach {
  /**
   * Set to true with the first response. After that, a refused connection counts as an interruption and not as a wrong
   * address.
   */
  answered: boolean;
}

/** Returns the state of an address that has not answered yet. */
export function createReach(): AddressReach {
  return { answered: false };
}

/**
 * Checks that an address can be used. The error message does not quote the address, because it may contain a password.
 *
 * @throws ProviderError `provider/address` when the address does not use HTTP or HTTPS, or contains a user name or a
 *   password.
 */
export function requireAddress(service: Service, baseURL: string): void {
  const url = URL.parse(baseURL);
  if (url === null || !['http:', 'https:'].includes(url.protocol))
    throw address(service, 'is not an HTTP or HTTPS address', 'use an address such as https://example.org');
  if (url.username === '' && url.password === '') return;
  const next = 'remove them, and pass the secret as the API key';
  throw address(service, 'contains a user name or a password, which would be logged and sent in clear text', next);
}

/** Returns the error for a redirect. `from` is the address that the request was sent to. */
export function redirected(service: Service, location: string | null, from: string): ProviderError {
  const to = location === null ? null : URL.parse(location, from);
  // The message contains the path only if the redirect stays on the same server. It never contains the query, which may
  // hold a secret.
  const path = to !== null && to.origin === URL.parse(from)?.origin ? to.pathname : '';
  const where = to === null ? 'another address' : `${to.protocol}//${to.host}${path}`;
  const what = `redirects to ${where}. Redirects are not followed, because the whole conversation would be sent there`;
  return address(service, what, 'use that address if it is the right one');
}

/**
 * Returns the error for an HTML page that a server sent with a success status. `page` is a description of the page for
 * the message.
 */
export function pageInstead(service: Service, page: string): ProviderError {
  return address(service, `returns ${page} instead of an API answer`, 'check the address and its path');
}

/** Returns the error for a failed connection that a retry cannot fix. Returns `undefined` for any other error. */
export function connectionError(
  service: Service,
  error: unknown,
  { answered }: AddressReach,
): ProviderError | undefined {
  for (const { code, message } of causesOf(error)) {
    if (OVERFLOWS.has(code)) return oversized(service, 'headers of more than 16 KiB');
    const what = TLS.test(code)
      ? 'does not allow a secure connection: its certificate is not valid, or the server does not support TLS'
      : message === 'bad port'
        ? 'has a port that is blocked for HTTP'
        : answered
          ? undefined
          : NOWHERE.get(code);
    if (what !== undefined) return address(service, `${what} (${code === '' ? message : code}: ${message})`, CHECK);
  }
  return undefined;
}

const CHECK = 'check the address, the proxy if one is set, and that the server runs';

const OVERFLOWS: ReadonlySet<string> = new Set(['UND_ERR_HEADERS_OVERFLOW', 'HPE_HEADER_OVERFLOW']);

/**
 * Error codes of OpenSSL and Node.js for certificates and TLS. The code for a damaged record (`BAD_RECORD_MAC`) is
 * excluded, because a retry can fix it.
 */
const TLS =
  /^(?:EPROTO$|CERT_|CRL_|ERR_TLS_|ERR_SSL_(?!.*BAD_RECORD_MAC)|DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT|UNABLE_TO_|HOSTNAME_MISMATCH|INVALID_(?:CA|PURPOSE)|ERROR_IN_CERT)/;

/**
 * Message text for each error code of an address that has never answered. For an address that has answered before,
 * these codes mean that the server restarts or that the network is down, so a retry can succeed.
 */
const NOWHERE: ReadonlyMap<string, string> = new Map([
  ['ENOTFOUND', 'has a host name that does not exist'],
  ['ECONNREFUSED', 'refuses connections: no server listens there'],
  ['EADDRNOTAVAIL', 'cannot be reached from this machine'],
  ['ERR_INVALID_URL', 'is not a valid address'],
]);

function address({ name, title }: Service, what: string, next: string): ProviderError {
  return new ProviderError('stop', 'provider/address', `the address of ${title} ${what}`, { provider: name, next });
}

function causesOf(error: unknown): readonly { readonly code: string; readonly message: string }[] {
  const causes: { code: string; message: string }[] = [];
  for (let at = error; at instanceof Error && causes.length < 5; at = at.cause) {
    causes.push({ code: 'code' in at && typeof at.code === 'string' ? at.code : '', message: at.message });
  }
  return causes;
}

/**
 * Returns the `ProviderError` among an error and its causes, because an SDK wraps it in its own error. Looks at 5
 * levels. Returns `undefined` if no level is a `ProviderError`.
 */
export function providerErrorIn(error: unknown): ProviderError | undefined {
  let at = error;
  for (let depth = 0; at instanceof Error && depth < 5; depth += 1) {
    if (at instanceof ProviderError) return at;
    at = at.cause;
  }
  return undefined;
}
