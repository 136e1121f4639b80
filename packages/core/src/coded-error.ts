// Base class of errors: a stable code for programs, typed data, the cause, and a message with the next step for people.

/**
 * Sort of an error, which decides the action of the caller. `conflict`: read again and decide again. `retryable`: try
 * again later. `refused`: report the error to the user. `corrupt`: stop and change nothing. `bug`: a law of this
 * project was broken.
 */
export type ErrorSort = 'conflict' | 'retryable' | 'refused' | 'corrupt' | 'bug';

/** Facts about an error that has no more specific data type. */
export type ErrorData = Readonly<Record<string, unknown>>;

/**
 * Base class of the errors of all packages. The message contains what happened, the name of the affected object, and
 * the next step. Programs recognise an error by its `code` (`log/damaged`), never by its class or its text, because two
 * copies of a package have two different classes.
 *
 * A class without data passes `undefined`; its errors then have no member `data`.
 */
export class CodedError<Code extends string, Data = undefined> extends Error {
  // The order of these members is the order in which a log or an inspector prints them.
  override readonly name: string = 'CodedError';
  /** Kind of error, in the form `package/kind`. It never changes after a release. */
  readonly code: Code;
  /** Facts about this error, for programs. */
  declare readonly data: Data;

  constructor(code: Code, message: string, data: Data, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    if (data !== undefined) this.data = data;
  }
}
