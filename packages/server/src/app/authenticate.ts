// Authentication: a token for every request, and one-time links through which a browser gets the token.

import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { ServerError } from '../errors.ts';

/** Shortest accepted token, in characters. */
export const SHORTEST_TOKEN = 32;
/** Time for which a link can be used, in milliseconds. */
const LINK_MS = 10 * 60_000;
/** Number of links that can wait at the same time. The oldest is dropped. */
const MAX_LINKS = 10;

/** Checks tokens and keeps one-time links. */
export interface Authentication {
  /** @throws ServerError `server/unauthorized` unless the header contains the token. */
  require(authorization: string | undefined): void;
  /** Returns the code of a new link. It can be used once, within ten minutes. */
  createCode(): string;
  /**
   * Exchanges the code of a link for the token.
   *
   * @throws ServerError `server/unauthorized` for a code that is unknown, used or too old.
   */
  redeem(code: string): string;
}

/** Returns a new random token: 43 characters for 256 bits. */
export function newToken(): string {
  return randomBytes(32).toString('base64url');
}

/**
 * Creates the authentication for a token.
 *
 * @throws ServerError `server/bad-options` for a token that is too short or contains a character that a header cannot contain.
 */
export function createAuthentication(token: string, now: () => number): Authentication {
  if (token.length < SHORTEST_TOKEN || !/^[\w.~+/=-]+$/.test(token)) {
    const message = `the token must have at least ${SHORTEST_TOKEN} letters, digits or signs of \`-._~+/=\``;
    throw new ServerError('server/bad-options', message, 'omit the token, and the server makes one');
  }
  const expected = digest(token);
  const links = new Map<string, number>();
  return {
    require(authorization) {
      const given = /^Bearer ([\w.~+/=-]+)$/i.exec(authorization ?? '')?.[1];
      if (given === undefined)
        throw unauthorized('the request has no token', 'send the header `Authorization: Bearer <token>`');
      // Digests have the same length, and the comparison takes the same time for each wrong token.
      if (!timingSafeEqual(digest(given), expected))
        throw unauthorized('the token is wrong', 'use the token of this server: its file is printed when it starts');
    },
    createCode() {
      const code = randomBytes(24).toString('base64url');
      const [oldest] = links.keys();
      if (links.size >= MAX_LINKS && oldest !== undefined) links.delete(oldest);
      links.set(digest(code).toString('hex'), now() + LINK_MS);
      return code;
    },
    redeem(code) {
      const name = digest(code).toString('hex');
      const until = links.get(name);
      links.delete(name);
      if (until === undefined || until < now())
        throw unauthorized('the link was used already, or is older than ten minutes', 'use a new link of the server');
      return token;
    },
  };
}

function unauthorized(message: string, next: string): ServerError {
  return new ServerError('server/unauthorized', message, next);
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
