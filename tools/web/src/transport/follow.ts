// Follows redirects that stay on the same host. A redirect to another host is returned, because permission rules are
// about hosts: the model has to call again, and the rules decide about the new host.

import { readAddress } from '../address/read-address.ts';
import { WebError } from '../web-error.ts';
import type { NetworkReach, WebReply } from './exchange.ts';
import { exchange } from './exchange.ts';
import type { FetchLimits } from './limits.ts';

/** Answer of a server, or the address of a redirect that is not followed. */
export type WebOutcome = WebReply | { readonly redirect: URL; readonly from: URL; readonly status: number };

/**
 * Fetches a URL. Each redirect is checked like the first address.
 *
 * @throws WebError `web/bad-address`, `web/private-address`, `web/unreachable`, `web/timeout`.
 */
export async function follow(
  first: URL,
  reach: NetworkReach,
  limits: FetchLimits,
  signal: AbortSignal,
): Promise<WebOutcome> {
  const timeout = AbortSignal.timeout(limits.time);
  const either = AbortSignal.any([signal, timeout]);
  try {
    let url = first;
    for (let redirects = 0; ; redirects += 1) {
      const reply = await exchange(url, reach, { bytes: limits.bytes, signal: either });
      if (reply.location === undefined) return reply;
      const target = targetOf(reply.location, url);
      if (!isFollowed(url, target)) return { redirect: target, from: url, status: reply.status };
      if (redirects === limits.redirects) throw tooMany(first, limits.redirects);
      url = target;
    }
  } catch (error) {
    if (timeout.aborted && !signal.aborted) throw tooSlow(first, limits.time);
    throw error;
  }
}

function targetOf(location: string, from: URL): URL {
  try {
    return readAddress(location, from);
  } catch (error) {
    if (!(error instanceof WebError)) throw error;
    const message = `${from.host} redirects to an address that cannot be fetched. ${error.message}`;
    throw new WebError(error.code, message, { host: from.host }, error);
  }
}

/**
 * Returns true for a redirect that is followed: on the same host, and not from https to http. On the way of a page
 * without encryption, other people can read and change it.
 */
export function isFollowed(from: URL, to: URL): boolean {
  return from.hostname === to.hostname && (from.protocol === 'http:' || to.protocol === 'https:');
}

function tooMany({ host }: URL, most: number): WebError {
  return new WebError('web/unreachable', `${host} redirected more than ${most} times. Use another address.`, { host });
}

function tooSlow({ host }: URL, time: number): WebError {
  return new WebError(
    'web/timeout',
    `${host} did not send its whole answer within ${time / 1000} seconds. Call again later, or use another address.`,
    { host },
  );
}
