// Checks the `Host` and `Origin` headers of requests. A page in a browser can send requests to a loopback port. By DNS
// rebinding, the page can make the browser treat these requests as requests to the page's own site. The `Host` header
// then contains the name of that site.

import type { IncomingMessage } from 'node:http';
import { HttpServerError } from './errors.ts';
import type { ServerRefusal } from './refusal.ts';

const LOOPBACK = ['127.0.0.1', 'localhost', '[::1]'];
/** Addresses that mean "all addresses of this machine". They are not names of the machine. */
const WILDCARD: ReadonlySet<string> = new Set(['0.0.0.0', '::']);

/** Matches a host with or without a port. A user name, an empty port, a zone and other characters do not match. */
const AUTHORITY = /^(?:\[[0-9a-f:.]{2,45}\]|[a-z0-9._-]{1,253})(?::\d{1,5})?$/i;

/** The hosts for which a server answers requests. */
export interface AllowedHosts {
  /** True if the server accepts a request for this host. `authority` is `host` or `host:port`. */
  accepts(authority: string): boolean;
}

/** Values that determine the allowed hosts. */
export interface HostChoice {
  /** Address that the server is bound to. */
  readonly host: string;
  readonly port: number;
  /** Additional names: `name` for any port, `name:port` for one port. */
  readonly allowed: readonly string[];
}

/**
 * Returns the hosts that a server accepts: the loopback names and the bound address, each with the port of the server,
 * and the additional names. A wildcard address is not accepted as a name. Names are compared without regard to case.
 * Another spelling of an address (`127.1`, `localhost.`, `[0::1]`) counts as a different name.
 */
export function allowHosts({ host, port, allowed }: HostChoice): AllowedHosts {
  const bound = host.includes(':') ? `[${host}]` : host;
  const own = WILDCARD.has(host) ? LOOPBACK : [...LOOPBACK, bound.toLowerCase()];
  const exact = new Set(own.map((name) => `${name}:${port}`));
  // Clients omit the port if it is 80, the default of HTTP.
  if (port === 80) for (const name of own) exact.add(name);
  const names = new Set(allowed.map((name) => name.toLowerCase()));
  return {
    accepts(authority) {
      const asked = authority.toLowerCase();
      return exact.has(asked) || names.has(asked) || names.has(asked.replace(/:\d+$/, ''));
    },
  };
}

/**
 * Checks the allowed names before a server is opened with them.
 *
 * @throws HttpServerError `http-server/bad-options` for a name that is not `host` or `host:port`.
 */
export function checkHostNames(allowed: readonly string[]): void {
  const wrong = allowed.find((name) => !AUTHORITY.test(name));
  if (wrong === undefined) return;
  const message = `${JSON.stringify(wrong)} is not a host that can be allowed. Use a name or an address, with or without a port: build-7, build-7:8787, [fd00::7].`;
  throw new HttpServerError('http-server/bad-options', message);
}

/**
 * Returns a refusal if the `Host` header is missing, repeated or malformed, if the request is for another host, or if
 * it comes from a page of another origin. Returns `undefined` for any other request.
 */
export function refuseForeign(request: IncomingMessage, hosts: AllowedHosts): ServerRefusal | undefined {
  const named = valuesOf(request, 'host');
  const [host] = named;
  if (host === undefined) return malformedRefusal('The Host header is missing. Send exactly one.');
  if (named.length > 1) return malformedRefusal('The Host header is repeated. Send exactly one.');
  if (!AUTHORITY.test(host)) return malformedRefusal('The Host header is not a host with an optional port.');
  return refuseTarget(request.url ?? '', hosts) ?? refuseHost(host, hosts) ?? refuseOrigin(request, host);
}

/**
 * Returns a refusal unless the request target is a path or an absolute URL of this server (RFC 9112, section 3.2.2).
 */
function refuseTarget(target: string, hosts: AllowedHosts): ServerRefusal | undefined {
  if (target.startsWith('/')) return undefined;
  if (!/^http:\/\//i.test(target) || !URL.canParse(target)) {
    return malformedRefusal('The request target is neither a path nor an http URL.');
  }
  const { host, username, password } = new URL(target);
  if (username !== '' || password !== '') return malformedRefusal('The request target contains a user name.');
  return refuseHost(host, hosts);
}

function refuseHost(host: string, hosts: AllowedHosts): ServerRefusal | undefined {
  if (hosts.accepts(host)) return undefined;
  const name = host.replace(/:\d+$/, '');
  const message = `This server does not accept requests for the host ${host}. Use the address that the server prints, or allow the host with --allow-host ${name} (allowedHosts in code).`;
  return { reason: 'host', status: 421, message };
}

/**
 * Returns a refusal for a request from a page of another origin, otherwise `undefined`. A browser sends the origin of
 * the page that makes a request, and a program sends no origin. For some requests, such as loading an image, a browser
 * sends only `Sec-Fetch-Site`. Following a link from another site is allowed.
 */
function refuseOrigin(request: IncomingMessage, host: string): ServerRefusal | undefined {
  const origin = valuesOf(request, 'origin').join(', ').toLowerCase();
  const own = host.toLowerCase();
  const foreign = origin !== '' && origin !== `http://${own}` && origin !== `https://${own}`;
  const site = request.headers['sec-fetch-site'];
  const elsewhere = site === 'cross-site' || site === 'same-site';
  const follows = request.method === 'GET' && request.headers['sec-fetch-mode'] === 'navigate';
  if (!foreign && !(elsewhere && !follows)) return undefined;
  const message =
    'A page of another origin cannot use this server. Call the server from a program, or from one of its own pages.';
  return { reason: 'origin', status: 403, message };
}

function malformedRefusal(message: string): ServerRefusal {
  return { reason: 'malformed', status: 400, message };
}

/** Returns all values of a header as they were received. Node.js keeps only the first value of some headers. */
function valuesOf({ rawHeaders }: IncomingMessage, name: string): readonly string[] {
  return rawHeaders.flatMap((value, index) =>
    index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === name ? [value] : [],
  );
}
