// Errors that stop an import. Nearly all of them occur before anything is stored. A damaged record later in the file
// does not stop the import: it is listed in `skipped`.

import { CodedError } from '@tidemark/core';

/**
 * Error codes and their meanings. A test checks that the codes do not change, because scripts and people rely on them.
 */
export const IMPORT_ERRORS = {
  'import/missing': 'the file does not exist',
  'import/unreadable': 'the file cannot be read',
  'import/empty': 'the file is empty',
  'import/binary': 'the file is not text',
  'import/no-sound-record': 'no line of the file is a JSON record',
  'import/unrecognised': 'the format of the records is not supported',
  'import/several-sessions': 'the file contains several sessions, and none was named',
  'import/diverged': 'the session of this file already exists with different content',
  'import/changed': 'the file became shorter while it was read',
} as const;

/** Code of an import error. */
export type ImportErrorCode = keyof typeof IMPORT_ERRORS;

/** Place of an import error: the file, and the 1-based line if one line is the cause. */
export interface ImportPlace {
  readonly source: string;
  readonly line?: number;
  readonly reason?: string;
}

/**
 * Error of an import that cannot begin or continue. The message contains the file, the line if one line is the cause,
 * the reason and the next step.
 */
export class ImportError extends CodedError<ImportErrorCode, ImportPlace> {
  override readonly name = 'ImportError';
}
