// Errors of the server. Each code has one HTTP status.

import { CodedError, TidemarkError } from '@tidemark/core';

/** Code of a `ServerError`. */
export type ServerErrorCode =
  | 'server/bad-request'
  | 'server/unauthorized'
  | 'server/no-such-path'
  | 'server/no-such-question'
  | 'server/answered'
  | 'server/turn-running'
  | 'server/not-running'
  | 'server/grown'
  | 'server/not-restorable'
  | 'server/no-such-file'
  | 'server/no-such-process'
  | 'server/no-such-draft'
  | 'server/too-many-drafts'
  | 'server/no-such-output'
  | 'server/no-such-step'
  | 'server/folder-refused'
  | 'server/beyond-end'
  | 'server/too-slow'
  | 'server/too-many-readers'
  | 'server/closing'
  | 'server/no-answer'
  | 'server/reading'
  | 'server/bad-options';

/** HTTP status of each code. */
export const SERVER_ERRORS: Readonly<Record<ServerErrorCode, 400 | 401 | 403 | 404 | 409 | 500 | 503 | 504>> = {
  'server/bad-request': 400,
  'server/unauthorized': 401,
  'server/no-such-path': 404,
  'server/no-such-question': 404,
  'server/answered': 409,
  'server/turn-running': 409,
  'server/not-running': 409,
  'server/grown': 409,
  'server/not-restorable': 409,
  'server/no-such-file': 404,
  'server/no-such-process': 404,
  'server/no-such-draft': 404,
  'server/too-many-drafts': 409,
  'server/no-such-output': 404,
  'server/no-such-step': 404,
  'server/folder-refused': 403,
  'server/beyond-end': 409,
  'server/too-slow': 503,
  'server/too-many-readers': 503,
  'server/closing': 503,
  'server/no-answer': 504,
  'server/reading': 503,
  'server/bad-options': 500,
};

/** Error of the server. The message states what happened, and `next` is the next step of the client. */
export class ServerError extends CodedError<ServerErrorCode> {
  override readonly name = 'ServerError';
  readonly next: string;

  constructor(code: ServerErrorCode, message: string, next: string, cause?: unknown) {
    super(code, message, undefined, cause);
    this.next = next;
  }
}

/** An error for a client. */
export interface ErrorInWords {
  /** Stable code, such as `log/missing`. */
  readonly code: string;
  readonly message: string;
  /** Next step of the client. Empty if the message contains it. */
  readonly next: string;
}

/** Returns the words of an error for a client. The text of an unknown error stays in the process. */
export function describeError(error: unknown): ErrorInWords {
  if (!(error instanceof TidemarkError))
    return { code: 'server/bug', message: 'the server failed', next: 'read its output' };
  const { code, message } = error;
  const next = 'next' in error && typeof error.next === 'string' ? error.next : NEXT_STEPS.get(code);
  return { code, message, next: next ?? '' };
}

/** Next steps for errors of other packages whose messages do not know that there is a server. */
const NEXT_STEPS: ReadonlyMap<string, string> = new Map([
  ['log/locked', 'use the program that has it open, continue after it has closed the session, or fork the session'],
  ['log/missing', '`GET /sessions` lists the sessions'],
  ['log/write-failed', 'free space on the disk or fix its permissions, then `POST …/resume` continues'],
  ['log/latched', 'free space on the disk or fix its permissions, then `POST …/resume` continues'],
]);
