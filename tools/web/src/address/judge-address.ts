// Judges IP addresses: public, private, or never to be reached. Pure.

import ipaddr from 'ipaddr.js';

/**
 * Kind of an IP address.
 *
 * - `public`: an address of the internet.
 * - `private`: an address of this machine or of a private network. Only a host that the user allowed may have it.
 * - `never`: any other address, such as link-local addresses with the metadata service of a cloud, and multicast.
 */
export type AddressKind = 'public' | 'private' | 'never';

/** IPv4 ranges of private networks, by the names of `ipaddr.js`. */
const PRIVATE_4: readonly string[] = ['loopback', 'private', 'carrierGradeNat'];

/** IPv6 ranges of private networks, by the names of `ipaddr.js`. */
const PRIVATE_6: readonly string[] = ['loopback', 'uniqueLocal'];

/** Unicast addresses of the internet. All other IPv6 addresses are reserved or have a special use. */
const GLOBAL_6 = ipaddr.IPv6.parseCIDR('2000::/3');

/**
 * IPv6 range in which the last four bytes are the IPv4 address that a NAT64 gateway connects to. The range
 * `64:ff9b:1::/48` is for local use and is never reached.
 */
const NAT64 = ipaddr.IPv6.parseCIDR('64:ff9b::/96');

/** Returns the kind of an address. A text that is not an address is `never`. */
export function judgeAddress(address: string): AddressKind {
  if (!ipaddr.isValid(address)) return 'never';
  const parsed = ipaddr.parse(address);
  return parsed instanceof ipaddr.IPv4 ? kindOf4(parsed) : kindOf6(parsed);
}

function kindOf4(address: ipaddr.IPv4): AddressKind {
  const range = address.range();
  if (range === 'unicast') return 'public';
  return PRIVATE_4.includes(range) ? 'private' : 'never';
}

/** Judges an address with an embedded IPv4 address by that IPv4 address, because the connection ends there. */
function kindOf6(address: ipaddr.IPv6): AddressKind {
  if (address.isIPv4MappedAddress()) return kindOf4(address.toIPv4Address());
  if (address.match(NAT64)) return kindOf4(new ipaddr.IPv4(address.toByteArray().slice(-4)));
  const range = address.range();
  if (PRIVATE_6.includes(range)) return 'private';
  return range === 'unicast' && address.match(GLOBAL_6) ? 'public' : 'never';
}
