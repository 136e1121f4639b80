// A session of which not one record can be read: what may be the matter, and what is left to do.

import { LogError } from '@tidemark/log';

/** What only the user can do. */
export const RESTORE = 'restore its folder from a backup, or move it away';

/** Whether it is about the files of one session, so that the others can still be looked at. */
export function isOfFiles(error: unknown): error is Error {
  return error instanceof LogError || (error instanceof Error && 'syscall' in error);
}
