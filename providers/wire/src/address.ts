// Failures of an address: what listens there is not the provider, or nothing listens there. A retry fixes none of them.

import { ProviderError } from '@tidemark/model';
import { oversized } from './answer-limits.ts';
import type { Service } from './service.ts';

/** Whether an address has answered yet. */
export interface AddressReach {
  /** Set with the first response. From then on a refused connection is an interruption, and not a wrong address. */
  answered: boolean;
}

/** Begins without an answer. */
export function createReach(): AddressReach {
  return { answered: false };
}

/**
 * Refuses an address that cannot be used. The message does not quote it, since it may hold a password.
 *
 * @throws ProviderError `provider/address`.
 */
export function requireAddress(service: Service, baseURL: string): void {
  const url = URL.parse(baseURL);
  if (url === null || !['http:', 'https:'].includes(url.protocol))
    throw address(service, 'is not one of HTTP, such as https://example.org', 'set another one');
  if (url.username === '' && url.password === '') return;
  const next = 'leave them out, and give the secret as the API key';
  throw address(service, 'contains a user name or a password, which would be logged and sent in clear text', next);
}

/** Returns the error for a redirect. `from` is the address that was asked. */
export function redirected(service: Service, location: string | null, from: string): ProviderError {
  const to = location === null ? null : URL.parse(location, from);
  // A path of the same server may be shown; a query may hold a secret.
  const path = to !== null && to.origin === URL.parse(from)?.origin ? to.pathname : '';
  const where = to === null ? 'another address' : `${to.protocol}//${to.host}${path}`;
  const what = `redirects to ${where}. Redirects are not followed: the whole conversation would be sent there`;
  return address(service, what, 'set that address if it is the right one');
}

/** Returns the error for a page that came with a status of success. `page` says which. */
export function pageInstead(service: Service, page: string): ProviderError {
  return address(service, `answers with ${page} instead of an answer of the API`, 'check the address and its path');
}

/** Returns the error for a connection that failed, where a retry cannot fix it; else `undefined`. */
export function connectionError(
  service: Service,
  error: unknown,
  { answered }: AddressReach,
): ProviderError | undefined {
  for (const { code, message } of causesOf(error)) {
    if (OVERFLOWS.has(code)) return oversized(service, 'headers of more than 16 KiB');
    const what = TLS.test(code)
      ? 'could not be connected to securely: its certificate is not valid for it, or it does not speak TLS'
      : message === 'bad port'
        ? 'has a port that is closed to HTTP'
        : answered
          ? undefined
          : NOWHERE.get(code);
    if (what !== undefined) return address(service, `${what} (${code === '' ? message : code}: ${message})`, CHECK);
  }
  return undefined;
}

const CHECK = 'check the address, the proxy if one is set, and that the server runs';

const OVERFLOWS: ReadonlySet<string> = new Set(['UND_ERR_HEADERS_OVERFLOW', 'HPE_HEADER_OVERFLOW']);

/** Codes of OpenSSL and Node.js. A record that is damaged on its way is not among them. */
const TLS =
  /^(?:EPROTO$|CERT_|CRL_|ERR_TLS_|ERR_SSL_(?!.*BAD_RECORD_MAC)|DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT|UNABLE_TO_|HOSTNAME_MISMATCH|INVALID_(?:CA|PURPOSE)|ERROR_IN_CERT)/;

/** What is wrong where the address has never answered. Later the same codes say that a server restarts, or a network is down. */
const NOWHERE: ReadonlyMap<string, string> = new Map([
  ['ENOTFOUND', 'has a host name that does not exist'],
  ['ECONNREFUSED', 'refuses connections: nothing listens there'],
  ['EADDRNOTAVAIL', 'cannot be reached from this machine'],
  ['ERR_INVALID_URL', 'is not a valid address'],
]);

function address({ name, title }: Service, what: string, next: string): ProviderError {
  const message = `the address of ${title} ${what}. Next: ${next}`;
  return new ProviderError('stop', 'provider/address', message, { provider: name });
}

function causesOf(error: unknown): readonly { readonly code: string; readonly message: string }[] {
  const causes: { code: string; message: string }[] = [];
  for (let at = error; at instanceof Error && causes.length < 5; at = at.cause) {
    causes.push({ code: 'code' in at && typeof at.code === 'string' ? at.code : '', message: at.message });
  }
  return causes;
}

/** Returns the ProviderError that an SDK wrapped into an error of its own; `undefined` where there is none. */
export function providerErrorIn(error: unknown): ProviderError | undefined {
  let at = error;
  for (let depth = 0; at instanceof Error && depth < 5; depth += 1) {
    if (at instanceof ProviderError) return at;
    at = at.cause;
  }
  return undefined;
}
