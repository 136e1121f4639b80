// Digests of texts, with a memory for a request that repeats most of the one before.

import { hash } from 'node:crypto';

/** SHA-256 in base64url: short to keep, free of collisions. */
export function digestOf(text: string): string {
  return hash('sha256', text, 'base64url');
}

/** Digests by place: where the text is that of the last request, so is the digest. A request repeats most of the one before. */
export type Digests = (place: number, text: string) => string;

/** Digests that remember one request. */
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
