// A session as it is named on the command line.

import type { SessionId } from '@tidemark/log';
import { sessionId } from '@tidemark/log';

import { CliError } from '../frame/failure.ts';

/** The session id in an argument. @throws CliError `cli/usage` when the text cannot be one. */
export function sessionArgument(text: string): SessionId {
  try {
    return sessionId(text);
  } catch (error) {
    throw new CliError(
      'cli/usage',
      `not a session id: ${JSON.stringify(text)}`,
      '`tidemark sessions` lists them',
      error,
    );
  }
}
