// Errors for a path that cannot be read or written. Errors of the operating system keep their own codes.

import { CodedError } from '@tidemark/core';

/**
 * Codes of `FileError`. `file/not-a-file`: the path is not a regular file. `file/too-large`: the file has more bytes
 * than the caller allows.
 */
export type FileErrorCode = 'file/not-a-file' | 'file/too-large';

/**
 * Error for a path that is not a regular file, or for a file that is too large. The message contains the path. It also
 * contains the kind of object at the path, or the maximum size.
 */
export class FileError extends CodedError<FileErrorCode> {
  override readonly name = 'FileError';
  readonly path: string;
  /** Part of the message after the path, such as `is a pipe, not a regular file`. */
  readonly what: string;
  /** Kind of the object at the path, such as `a pipe`. Absent for a regular file. */
  readonly kind?: string;
  /** Next step for the user. */
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
