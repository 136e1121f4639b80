// Base class of errors: a stable code for programs, typed data, the cause, and a message with the next step for people.

/**
 * Sort of an error, which decides the action of the caller. `conflict`: read again and decide again. `retryable`: try
 * again later. `refused`: report the error to the user. `corrupt`: stop and change nothing. `bug`: the program broke
 * one of its own rules.
 */
export type ErrorSort = 'conflict' | 'retryable' | 'refused' | 'corrupt' | 'bug';

/** Default type of an error's data, for errors whose data has no more specific type. */
export type ErrorData = Readonly<Record<string, unknown>>;

/**
 * Any error of these packages. A program can use `instanceof` to separate these errors from other errors. The message
 * contains what happened, the name of the affected object, and the next step. Use `code` (`log/damaged`) to distinguish
 * errors, never the text. If a program contains two copies of a package, it has two classes. In this case, only `code`
 * works.
 */
export abstract class TidemarkError extends Error {
  // The order of these members is the order in which a log or an inspector prints them.
  override readonly name: string = 'TidemarkError';
  /** Kind of error, in the form `package/kind`. It never changes after a release. */
  readonly code: string;
  /** Facts about this error, for programs. Absent if there are none. */
  declare readonly data?: unknown;

  constructor(message: string, { code, data, cause }: TidemarkErrorFields) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    if (data !== undefined) this.data = data;
  }
}

interface TidemarkErrorFields {
  readonly code: string;
  readonly data: unknown;
  readonly cause: unknown;
}

/**
 * Base class of the errors of a package, with the types of its codes and its data. If a class has no data, it passes
 * `undefined`, and its errors have no member `data`.
 */
export class CodedError<Code extends string, Data = undefined> extends TidemarkError {
  override readonly name: string = 'CodedError';
  declare readonly code: Code;
  declare readonly data: Data;

  constructor(code: Code, message: string, data: Data, cause?: unknown) {
    super(message, { code, data, cause });
  }
}
