// Errors of a call without its key: whatever the server, the SDK or the socket said, and however deep it stands.

import { ProviderError } from '@tidemark/model';

/** Gives a text without the key. */
export type Hide = (text: string) => string;

/** Hides this key. */
export function hideKey(key: string): Hide {
  return (text) => (key === '' ? text : text.replaceAll(key, '[key]'));
}

/** The reason lies some causes deep (`fetch failed` > `ECONNREFUSED`): all of them are said. */
export function reasonsOf(error: unknown, hide: Hide): string {
  const said: string[] = [];
  for (let at = error; at instanceof Error && said.length < 5; at = at.cause) {
    const code = 'code' in at && typeof at.code === 'string' ? ` (${at.code})` : '';
    said.push(`${at.message}${code}`);
  }
  return hide(said.length === 0 ? String(error) : said.join(': '));
}

/** What stands for a cause. Not the error itself: it may hold the headers that were sent. */
export function plainCause(error: unknown, hide: Hide): Error {
  return new Error(hide(error instanceof Error ? `${error.name}: ${error.message}` : String(error)));
}

/** The same error without the key, in its message and in what caused it. */
export function withoutKey(error: ProviderError, hide: Hide): ProviderError {
  const { cause } = error;
  // A parser quotes some of the bytes that it could not read: a piece of a key, which is not found as the whole is.
  const plain = cause instanceof SyntaxError ? new Error(cause.name) : cause && plainCause(cause, hide);
  return new ProviderError(error.class, error.code, hide(error.message), error.data, plain);
}
