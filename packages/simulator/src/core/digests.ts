// Computes digests of texts and stores the digests of the last request. A new request repeats most of the last request,
// so most digests are not computed again.

import { hash } from 'node:crypto';

/** Returns the SHA-256 of a text in base64url, which is shorter than hex. */
export function digestOf(text: string): string {
  return hash('sha256', text, 'base64url');
}

/**
 * Function that returns the digest of `text`. `place` is the index of the text in its request. If the last request had
 * the same text at this index, the digest is not computed again.
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
