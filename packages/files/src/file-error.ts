// Why a path is not read or written. Errors of the operating system keep their own codes.

import { CodedError } from '@tidemark/core';

/** The name of a file error. */
export type FileErrorCode = 'file/not-a-file' | 'file/too-large';

/** A path that is no regular file, or a file that is too large. The message names the path and what is there. */
export class FileError extends CodedError<FileErrorCode> {
  override readonly name = 'FileError';
  readonly path: string;
  /** The predicate of a sentence about the path: `is a pipe, not a regular file`. */
  readonly what: string;
  /** What is there, such as `a pipe`; absent where it is a regular file. */
  readonly kind?: string;
  /** What to do now. */
  readonly next: string;

  constructor(
    code: FileErrorCode,
    { path, what, next, kind }: { path: string; what: string; next: string; kind?: string },
  ) {
    super(code, `${path} ${what}`, undefined);
    this.path = path;
    this.what = what;
    this.next = next;
    if (kind !== undefined) this.kind = kind;
  }
}
