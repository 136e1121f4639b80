// The errors for what came and cannot be read, and for what did not come.

import { ProviderError } from '@tidemark/model';
import { PROVIDER } from './refuse.ts';

/** Retryable: the next answer may be whole. */
export function malformed(what: string, cause?: unknown): ProviderError {
  const message = `OpenAI sent what cannot be read: ${what}. Send the request again`;
  return new ProviderError('retryable', 'provider/malformed', message, { provider: PROVIDER }, cause);
}

/** The stream ended before the answer did. */
export function cut(): ProviderError {
  const message = 'the stream of OpenAI ended before the answer was finished: send the request again';
  return new ProviderError('retryable', 'provider/cut', message, { provider: PROVIDER });
}

/** The value of a text. @throws ProviderError `provider/malformed` when it is no JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw malformed('an event or answer that is no JSON', cause);
  }
}

/** What `read` gives. @throws ProviderError `provider/malformed` when it throws. */
export function readAs<T>(what: string, read: () => T): T {
  try {
    return read();
  } catch (cause) {
    throw malformed(`${what} does not have its documented shape`, cause);
  }
}
