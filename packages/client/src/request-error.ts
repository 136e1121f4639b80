// Error of a refused request.

import { CodedError } from '@tidemark/core';
import type { components } from './generated/server-api.ts';

/** Body of an answer that refuses a request. */
export type RefusalBody = components['schemas']['Failure'];

/**
 * A request that the server refused, or an answer that is not from such a server. `code` is the code of the server, such
 * as `log/missing`. Later versions of the server add codes.
 */
export class RequestError extends CodedError<string> {
  override readonly name = 'RequestError';
  /** HTTP status of the answer. */
  readonly status: number;
  /** Next step of the client. Empty if the message contains it. */
  readonly next: string;

  constructor(status: number, { code, message, next }: RefusalBody['error']) {
    super(code, message, undefined);
    this.status = status;
    this.next = next;
  }
}

/** Returns the error for an answer. A proxy can answer with a body that is not the server's. */
export function requestError(status: number, body: unknown): RequestError {
  const error = typeof body === 'object' && body !== null && 'error' in body ? body.error : undefined;
  const field = (name: 'code' | 'message' | 'next'): string => {
    const found = new Map<string, unknown>(typeof error === 'object' && error !== null ? Object.entries(error) : []);
    const value = found.get(name);
    return typeof value === 'string' ? value : '';
  };
  const code = field('code');
  if (code !== '') return new RequestError(status, { code, message: field('message'), next: field('next') });
  const message = `the answer has the status ${status} and no error of the server`;
  return new RequestError(status, { code: 'client/bad-answer', message, next: 'check the address and the proxy' });
}
