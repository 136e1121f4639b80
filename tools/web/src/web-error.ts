// Errors of the web tools. If a running call throws such an error, the model reads the message. Therefore each message
// contains the next step.

import type { ErrorData, ErrorSort } from '@tidemark/core';
import { CodedError } from '@tidemark/core';

/**
 * Sort of a web error.
 *
 * - `refused`: report the error to the model or the user.
 * - `retryable`: the same call can succeed later.
 */
export type WebErrorSort = Extract<ErrorSort, 'refused' | 'retryable'>;

/** Code of a web error. */
export type WebErrorCode =
  | 'web/bad-address'
  | 'web/private-address'
  | 'web/unreachable'
  | 'web/timeout'
  | 'web/not-text'
  | 'web/unreadable'
  | 'web/past-the-end'
  | 'web/secret'
  | 'web/no-key'
  | 'web/search-refused'
  | 'web/search-failed';

/** Sort of each error code. A test fails if an entry changes. */
export const WEB_ERRORS: Readonly<Record<WebErrorCode, WebErrorSort>> = {
  'web/bad-address': 'refused',
  'web/private-address': 'refused',
  'web/unreachable': 'retryable',
  'web/timeout': 'retryable',
  'web/not-text': 'refused',
  'web/unreadable': 'refused',
  'web/past-the-end': 'refused',
  'web/secret': 'refused',
  'web/no-key': 'refused',
  'web/search-refused': 'refused',
  'web/search-failed': 'retryable',
};

/** An error of a web tool. The model reads its message, so the message contains the next step. */
export class WebError extends CodedError<WebErrorCode, ErrorData> {
  override readonly name = 'WebError';

  constructor(code: WebErrorCode, message: string, data: ErrorData = {}, cause?: unknown) {
    super(code, message, data, cause);
  }

  /** Sort of the error. With the sort, the caller decides what to do next. */
  get sort(): WebErrorSort {
    return WEB_ERRORS[this.code];
  }
}
