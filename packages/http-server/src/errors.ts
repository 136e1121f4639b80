// Errors for the program that opens a server: wrong options, or an address that cannot be used. A request that is
// refused is reported as a `ServerRefusal` instead.

import { CodedError } from '@tidemark/core';

/**
 * Codes of `HttpServerError`.
 *
 * - `http-server/bad-options`: correct the option.
 * - `http-server/listen-failed`: choose another port or address.
 */
export type HttpServerErrorCode = 'http-server/bad-options' | 'http-server/listen-failed';

/** Thrown when a server cannot be opened. The message names the value and the next step. */
export class HttpServerError extends CodedError<HttpServerErrorCode> {
  override readonly name = 'HttpServerError';

  constructor(code: HttpServerErrorCode, message: string, cause?: unknown) {
    super(code, message, undefined, cause);
  }
}
