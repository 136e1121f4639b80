// Parses a session id given on the command line.

import type { SessionId } from '@tidemark/log';
import { sessionId } from '@tidemark/log';

import { CliError } from '../frame/failure.ts';

/**
 * Returns the session id in the argument.
 *
 * @throws CliError `cli/usage` when the text is not a valid session id.
 */
export function sessionArgument(text: string): SessionId {
  try {
    return sessionId(text);
  } catch (error) {
    throw new CliError(
      'cli/usage',
      `${JSON.stringify(text)} is not a session id`,
      '`tidemark sessions` lists the sessions',
      error,
    );
  }
}
