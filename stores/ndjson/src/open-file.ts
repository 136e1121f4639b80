// Opens a file of lines, to be read or written. What stands in its place and is no file is refused at once: a pipe would be waited
// for without end, and a folder or a loop of links is nobody's damage to repair.

import type { FileHandle } from 'node:fs/promises';
import { open } from 'node:fs/promises';
import { constants } from 'node:fs';
import { FileError, openRegularFile, requireRegularFile } from '@tidemark/files';
import { LogError } from '@tidemark/log';

/**
 * Opens it. What is no file, is none to a loop of links either.
 *
 * @throws LogError `log/not-a-file`; whatever else opening throws, as `ENOENT`.
 */
export function openFile(path: string): Promise<FileHandle> {
  return orRefuse(path, () => openRegularFile(path));
}

/**
 * Opens it with these flags, to be written; `mode` is used where it is made.
 *
 * @throws LogError `log/not-a-file`: nothing is written into a pipe or a device. Whatever else opening throws, as `ENOSPC`.
 */
export function openForWriting(path: string, flags: number, mode: number): Promise<FileHandle> {
  return orRefuse(path, async () =>
    requireRegularFile(await open(path, flags | (constants.O_NONBLOCK ?? 0), mode), path),
  );
}

async function orRefuse(path: string, opens: () => Promise<FileHandle>): Promise<FileHandle> {
  try {
    return await opens();
  } catch (cause) {
    // A pipe that nobody reads cannot be opened for writing alone (ENXIO); neither can a folder (EISDIR).
    if (isCode(cause, 'ELOOP')) throw notAFile(path, 'a loop of links', cause);
    if (isCode(cause, 'ENXIO') || isCode(cause, 'EISDIR')) throw notAFile(path, 'no regular file', cause);
    if (cause instanceof FileError) throw notAFile(path, cause.kind ?? 'no regular file', cause);
    throw cause;
  }
}

function isCode(cause: unknown, code: string): boolean {
  return cause instanceof Error && 'code' in cause && cause.code === code;
}

/** The error of a path that is `what`, such as `a pipe`. */
export function notAFile(path: string, what: string, cause?: unknown): LogError {
  const message = `${path} is ${what}, where a file of records belongs. Nothing was changed. Move it away, and restore the session's folder from a backup.`;
  return new LogError('log/not-a-file', message, { path }, cause);
}
