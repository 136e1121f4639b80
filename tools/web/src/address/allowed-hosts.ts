// Hosts with private addresses that the user allowed.

import { WebError } from '../web-error.ts';

/** Hosts whose private addresses may be reached. */
export interface PrivateHosts {
  /** Returns true if the user allowed the host of this address, on its port. */
  allows(url: URL): boolean;
}

/** Matches an entry: a host name, an IPv4 address or an IPv6 address in brackets, and optionally a port. */
const ENTRY = /^([\w.-]+|\[[\da-f:.]+\])(?::(\d{1,5}))?$/i;

/**
 * Reads the list of allowed hosts. An entry is a host with or without a port: `wiki.corp.example`, `127.0.0.1:3000`,
 * `[::1]:8080`. Without a port, it allows every port of the host. An entry allows no subdomains.
 *
 * @throws WebError `web/bad-address` for an entry that is not a host.
 */
export function allowedHosts(entries: readonly string[]): PrivateHosts {
  const read = entries.map(readEntry);
  return {
    allows: (url) => read.some(({ host, port }) => host === url.hostname && (port ?? portOf(url)) === portOf(url)),
  };
}

function readEntry(entry: string): { readonly host: string; readonly port: number | undefined } {
  const found = ENTRY.exec(entry);
  const host = found === null ? undefined : URL.parse(`http://${found[1] ?? ''}/`)?.hostname;
  const port = found?.[2] === undefined ? undefined : Number(found[2]);
  if (host !== undefined && host !== '' && (port ?? 1) >= 1 && (port ?? 1) <= 65_535) return { host, port };
  throw new WebError(
    'web/bad-address',
    `${JSON.stringify(entry)} is not a host: use a host name or an address, without scheme and path, such as wiki.corp.example or 127.0.0.1:3000`,
  );
}

/** Returns the port that a connection to this address uses. */
export function portOf({ port, protocol }: URL): number {
  if (port !== '') return Number(port);
  return protocol === 'https:' ? 443 : 80;
}
