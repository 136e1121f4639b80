// Looks up the addresses of a host and leaves out those that must not be reached. The socket calls this when it
// connects, so a name that changes its address between a check and the connection (DNS rebinding) gains nothing.

import type { LookupAddress } from 'node:dns';
import { lookup } from 'node:dns/promises';
import type { LookupFunction } from 'node:net';
import { isIP } from 'node:net';

import { WebError } from '../web-error.ts';
import type { PrivateHosts } from './allowed-hosts.ts';
import { judgeAddress } from './judge-address.ts';

/** Returns every address of a host name. Throws if the name has no address. */
export type ResolveHost = (host: string) => Promise<readonly LookupAddress[]>;

/** Resolves a host name as other programs on this machine do. */
export const systemResolver: ResolveHost = (host) => lookup(host, { all: true });

/**
 * Checks a host that is an IP address. The socket looks up no name for such a host. Other hosts pass.
 *
 * @throws WebError `web/private-address` for an address that must not be reached.
 */
export function requireReachable(url: URL, allowed: PrivateHosts): void {
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (isIP(host) !== 0 && !mayReach(host, url, allowed)) throw refusal(url, [host]);
}

/** Returns the look-up for a socket to this URL. It returns only addresses that may be reached. */
export function checkedLookup(url: URL, allowed: PrivateHosts, resolve: ResolveHost): LookupFunction {
  return (host, options, callback) => {
    void resolve(host).then(
      (all) => {
        const [first, ...others] = all.filter(({ address }) => mayReach(address, url, allowed));
        if (first === undefined) callback(refusal(url, addressesOf(all)), '');
        else if (options.all === true) callback(null, [first, ...others]);
        else callback(null, first.address, first.family);
      },
      (cause: unknown) => callback(notFound(url, cause), ''),
    );
  };
}

function mayReach(address: string, url: URL, allowed: PrivateHosts): boolean {
  const kind = judgeAddress(address);
  return kind === 'public' || (kind === 'private' && allowed.allows(url));
}

function addressesOf(all: readonly LookupAddress[]): readonly string[] {
  return all.map(({ address }) => address);
}

/** Number of addresses that a message contains. */
const SHOWN = 3;

function refusal(url: URL, addresses: readonly string[]): WebError {
  const { hostname, host } = url;
  const shown = addresses.slice(0, SHOWN).join(', ');
  const named =
    shown === '' || addresses.includes(hostname.replace(/^\[|\]$/g, '')) ? hostname : `${hostname} (${shown})`;
  const next = addresses.some((address) => judgeAddress(address) === 'private')
    ? `Only the user can allow this host, with ${JSON.stringify(host)} in the setting web.allowPrivate. Ask the user if you need it.`
    : 'Such an address can never be fetched.';
  return new WebError(
    'web/private-address',
    `${named} is not on the public internet, so nothing was sent to it. ${next}`,
    { host },
  );
}

function notFound({ hostname }: URL, cause: unknown): WebError {
  return new WebError(
    'web/unreachable',
    `The host ${hostname} was not found. Check its spelling, or call again later.`,
    { host: hostname },
    cause,
  );
}
