// Defines a service with its names. Creates the error for a refused request and the name of an account.

import type { ProviderErrorCode } from '@tidemark/model';
import { ProviderError } from '@tidemark/model';
import { createHash } from 'node:crypto';

/** A service that is called through a wire format. */
export interface Service {
  /** Name in capability rows, spans and errors, for example `openrouter`. */
  readonly name: string;
  /** Name for people, for example `OpenRouter`. */
  readonly title: string;
}

/** Returns an error of class `refused`: the same request would fail again, but a changed request may succeed. */
export function refuse(service: Service, code: ProviderErrorCode, message: string, cause?: unknown): ProviderError {
  return new ProviderError('refused', code, message, { provider: service.name }, cause);
}

/**
 * Minimum length, in characters, of an API key that cannot be guessed. The account name of a shorter key has fewer
 * digits of the digest.
 */
const LONG_KEY = 20;
/**
 * Number of hexadecimal digits in an account name: `long` for a key that cannot be guessed, `short` for any other key.
 * Thousands of possible keys have the same short name. So a short name does not show if a guessed key is right.
 */
const DIGITS = { long: 12, short: 3 } as const;

/**
 * Returns a name for the account of a key at an address. The name is a few digits of a digest of the service, the
 * address and the key, so it does not reveal the key. Equal keys at equal addresses have equal names. Returns
 * `undefined` without a key.
 */
export function accountName({ name }: Service, apiKey: string, baseURL: string): string | undefined {
  const key = apiKey.trim();
  if (key === '') return undefined;
  const digest = createHash('sha256').update(`tidemark account\n${name}\n${baseURL}\n${key}`).digest('hex');
  return digest.slice(0, key.length < LONG_KEY ? DIGITS.short : DIGITS.long);
}
