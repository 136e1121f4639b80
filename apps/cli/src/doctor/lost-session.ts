// Handles a session without any readable record: recognizes the error and provides the next step.

import { LogError } from '@tidemark/log';

/** Next step for a session that only the user can restore. */
export const RESTORE = 'restore the session folder from a backup, or move it away';

/**
 * Returns true if the error comes only from the files of one session. In that case the other sessions can still be
 * checked.
 */
export function isOfFiles(error: unknown): error is Error {
  return error instanceof LogError || (error instanceof Error && 'syscall' in error);
}
