// Errors in the use of a server. A request that is refused gets a `ServerRefusal` instead.

import { CodedError } from '@tidemark/core';

/** `bad-options`: correct the option. `listen-failed`: choose another port or address. */
export type HttpServerErrorCode = 'http-server/bad-options' | 'http-server/listen-failed';

/** A server that cannot be opened. The message names the value and the next step. */
export class HttpServerError extends CodedError<HttpServerErrorCode> {
  override readonly name = 'HttpServerError';

  constructor(code: HttpServerErrorCode, message: string, cause?: unknown) {
    super(code, message, undefined, cause);
  }
}
