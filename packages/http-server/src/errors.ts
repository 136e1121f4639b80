// Errors in the use of a server. A request that is refused gets a `ServerRefusal` instead.

/** `bad-options`: correct the option. `listen-failed`: choose another port or address. */
export type HttpServerErrorCode = 'http-server/bad-options' | 'http-server/listen-failed';

/** A server that cannot be opened. The message names the value and the next step. */
export class HttpServerError extends Error {
  override readonly name = 'HttpServerError';
  readonly code: HttpServerErrorCode;

  constructor(code: HttpServerErrorCode, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
  }
}
