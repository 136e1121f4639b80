// The errors for what came and cannot be read, and for what did not come.

import { ProviderError } from '@tidemark/model';
import type { Service } from '@tidemark/provider-wire';

/** Retryable: the next answer may be whole. */
export function malformed({ name, title }: Service, what: string, cause?: unknown): ProviderError {
  const message = `${title} sent what cannot be read: ${what}. Send the request again`;
  return new ProviderError('retryable', 'provider/malformed', message, { provider: name }, cause);
}

/** The stream ended before the answer did. */
export function cut({ name, title }: Service): ProviderError {
  const message = `the stream of ${title} ended before the answer was finished: send the request again`;
  return new ProviderError('retryable', 'provider/cut', message, { provider: name });
}

/** The value of a text. @throws ProviderError `provider/malformed` when it is no JSON. */
export function parseJson(service: Service, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw malformed(service, 'an event or answer that is no JSON', cause);
  }
}

/** What `read` gives. @throws ProviderError `provider/malformed` when it throws. */
export function readAs<T>(service: Service, what: string, read: () => T): T {
  try {
    return read();
  } catch (cause) {
    throw malformed(service, `${what} does not have its documented shape`, cause);
  }
}
