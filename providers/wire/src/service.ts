// The service that is called: its name, what cannot be asked of it, and the name of the account that is asked.

import type { ProviderErrorCode } from '@tidemark/model';
import { ProviderError } from '@tidemark/model';
import { createHash } from 'node:crypto';

/** A service behind a wire format. */
export interface Service {
  /** In capability rows, spans and errors: `openrouter`. */
  readonly name: string;
  /** As people call it: `OpenRouter`. */
  readonly title: string;
}

/** An error of class `refused`: asking again will not help, another request would. */
export function refuse(service: Service, code: ProviderErrorCode, message: string, cause?: unknown): ProviderError {
  return new ProviderError('refused', code, message, { provider: service.name }, cause);
}

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
