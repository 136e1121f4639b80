// Errors as programs and people use them: a stable code, typed data, the cause, and a message with the next step.

/**
 * Sorts an error by what to do next. `conflict`: read again and decide again. `retryable`: try again later. `refused`: tell the
 * user. `corrupt`: stop and change nothing. `bug`: a law of this project was broken.
 */
export type ErrorSort = 'conflict' | 'retryable' | 'refused' | 'corrupt' | 'bug';

/** Facts about an error that have no closer type. */
export type ErrorData = Readonly<Record<string, unknown>>;

/**
 * Base of the error classes of all rooms. The message says what happened, to what, and the next step. Programs recognise an error
 * by its `code` (`log/damaged`), never by its class or its text: two copies of a package have two classes.
 *
 * A class without data passes `undefined`; its errors then have no member `data`.
 */
export class CodedError<Code extends string, Data = undefined> extends Error {
  // Members are created in this order. A log or an inspector prints them so.
  override readonly name: string = 'CodedError';
  /** Names the kind of error: the room, a slash, the kind. Never changes after a release. */
  readonly code: Code;
  /** Facts about this error, for programs. */
  declare readonly data: Data;

  constructor(code: Code, message: string, data: Data, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    if (data !== undefined) this.data = data;
  }
}
