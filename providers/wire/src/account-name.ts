// What an account is called in a log. Providers keep a cache for each account, so a forecast has to know whether the account that is
// asked is the one whose cache an entry stands in.

import { createHash } from 'node:crypto';
import type { Service } from './service.ts';

/** A key of this length cannot be guessed from a digest. */
const LONG_KEY = 20;
/** Hexadecimal digits of a name. The short one fits thousands of guesses alike, so that it confirms none. */
const DIGITS = { long: 12, short: 3 } as const;

/**
 * The name of the account that an address takes a key for: some digits of a digest, from which the key cannot be found. Equal keys at
 * equal addresses give equal names. `undefined` without a key.
 */
export function accountName({ name }: Service, apiKey: string, baseURL: string): string | undefined {
  const key = apiKey.trim();
  if (key === '') return undefined;
  const digest = createHash('sha256').update(`tidemark account\n${name}\n${baseURL}\n${key}`).digest('hex');
  return digest.slice(0, key.length < LONG_KEY ? DIGITS.short : DIGITS.long);
}
