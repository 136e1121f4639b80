// Computes digests of texts. Remembers the digests of the last request, because a request repeats most of the previous
// one.

import { hash } from 'node:crypto';

/** Returns the SHA-256 of a text in base64url, which is shorter than hex. */
export function digestOf(text: string): string {
  return hash('sha256', text, 'base64url');
}

/**
 * Returns the digest of the text at a place. If the last request had the same text at this place, the digest is not
 * computed again.
 */
export type Digests = (place: number, text: string) => string;

/** Creates a `Digests` that remembers the texts of the last request. */
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
