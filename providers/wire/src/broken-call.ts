// The errors for a call that nobody answered to the end: no connection, silence, a cut, what cannot be read.

import type { ProviderErrorCode } from '@tidemark/model';
import { ProviderError, parseJson as parse } from '@tidemark/model';
import type { Service } from './service.ts';

/** The caller gave up on the call. */
export function aborted({ name, title }: Service): ProviderError {
  const message = `the call to ${title} was aborted by its caller`;
  return new ProviderError('stop', 'provider/aborted', message, { provider: name });
}

/** Something under the call broke: to be sent again. */
export function broken({ name, title }: Service, code: ProviderErrorCode, what: string, cause?: Error): ProviderError {
  const message = `the call to ${title} broke: ${what}. Next: send it again`;
  return new ProviderError('retryable', code, message, { provider: name }, cause);
}

/** Nothing came for longer than allowed. */
export function silent(service: Service, idleMs: number): ProviderError {
  return broken(service, 'provider/silent', `nothing came for ${idleMs} ms`);
}

/** The connection ended before anything came. */
export function closed(service: Service): ProviderError {
  return broken(service, 'provider/connection', 'the connection was closed before the answer began');
}

/** The stream ended before the answer did. */
export function cut({ name, title }: Service): ProviderError {
  const message = `the stream of ${title} ended before the answer was finished: send the request again`;
  return new ProviderError('retryable', 'provider/cut', message, { provider: name });
}

/** What came cannot be read; the next answer may be whole. */
export function malformed({ name, title }: Service, what: string, cause?: unknown): ProviderError {
  const message = `${title} sent what cannot be read: ${what}. Send the request again`;
  return new ProviderError('retryable', 'provider/malformed', message, { provider: name }, cause);
}

/** The value of a text. @throws ProviderError `provider/malformed` when it is no JSON. */
export function parseJson(service: Service, text: string): unknown {
  try {
    return parse(text);
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
