// The error for what came and cannot be read.

import { ProviderError } from '@tidemark/model';
import { PROVIDER } from '../encode/refuse.ts';

/** Retryable: the next answer may be whole. */
export function malformed(what: string, cause?: unknown): ProviderError {
  const message = `Anthropic sent what cannot be read: ${what}. Send the request again`;
  return new ProviderError('retryable', 'provider/malformed', message, { provider: PROVIDER }, cause);
}
