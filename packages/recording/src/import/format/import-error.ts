// What stops an import before anything of it is kept. What is wrong further inside a file never stops it: see `skipped`.

import { CodedError } from '@tidemark/core';

/** Every code, with what it means. Pinned by a test: scripts and people rely on them. */
export const IMPORT_ERRORS = {
  'import/missing': 'there is no such file',
  'import/unreadable': 'the file cannot be read',
  'import/empty': 'the file holds nothing',
  'import/binary': 'the file is not text',
  'import/no-sound-record': 'no line of the file is a JSON record',
  'import/unrecognised': 'the records are of no format known here',
  'import/diverged': 'the session that this file gives is there with another content',
  'import/changed': 'the file became shorter while it was read',
} as const;

/** The name of an import error. */
export type ImportErrorCode = keyof typeof IMPORT_ERRORS;

/** Where the error is: the file, and the 1-based line where one is to blame. */
export interface ImportPlace {
  readonly source: string;
  readonly line?: number;
  readonly reason?: string;
}

/** An import that could not begin. Nothing was written. The message names file, line and reason, and the next step. */
export class ImportError extends CodedError<ImportErrorCode, ImportPlace> {
  override readonly name = 'ImportError';
}
