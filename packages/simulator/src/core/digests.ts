// Digests of texts, with a memory of the last request, because a request repeats most of the previous one.

import { hash } from 'node:crypto';

/** Returns the SHA-256 of a text in base64url, which is short to store. */
export function digestOf(text: string): string {
  return hash('sha256', text, 'base64url');
}

/**
 * Returns the digest of the text at a place. If the text at this place is the same as in the last request, the known
 * digest is returned.
 */
export type Digests = (place: number, text: string) => string;

/** Creates a `Digests` that remembers the texts of one request. */
export function createDigests(): Digests {
  const texts: string[] = [];
  const digests: string[] = [];
  return (place, text) => {
    const known = digests[place];
    if (known !== undefined && texts[place] === text) return known;
    const digest = digestOf(text);
    texts[place] = text;
    digests[place] = digest;
    return digest;
  };
}
