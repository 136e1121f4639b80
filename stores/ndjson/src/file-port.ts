// File operations that the writer needs from the operating system. Tests inject faults only at this level.

import { constants } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { open, statfs } from 'node:fs/promises';
import { FileError, openRegularFile, requireRegularFile } from '@tidemark/files';
import { LogError } from '@tidemark/log';

/** A log file that is open for appending. */
export interface LogFile {
  /** Returns the length in bytes, or -1 if the file was deleted. */
  size(): Promise<number>;
  /**
   * Writes at the end of the file, normally in one call. If the promise rejects, some of the bytes may have been
   * written.
   */
  append(bytes: Uint8Array): Promise<void>;
  /** Writes the file to stable storage. */
  flush(): Promise<void>;
  truncate(length: number): Promise<void>;
  close(): Promise<void>;
}

/** Operations that the writer needs from the operating system. */
export interface FilePort {
  /**
   * Opens a file for appending. With `create`, a missing file is created, readable only by its owner.
   *
   * @throws LogError `log/not-a-file` for anything other than a regular file.
   */
  openLog(path: string, create: boolean): Promise<LogFile>;
  /** Returns the type of the file system of a path, as `statfs` reports it. */
  filesystemType(path: string): Promise<number>;
}

/** `FilePort` of the real operating system. */
export const nodeFiles: FilePort = {
  async openLog(path, create) {
    const flags = constants.O_RDWR | constants.O_APPEND | (create ? constants.O_CREAT : 0);
    return logFile(await openForWriting(path, flags, 0o600));
  },
  filesystemType: async (path) => (await statfs(path)).type,
};

function logFile(handle: FileHandle): LogFile {
  return {
    async size() {
      const { size, nlink } = await handle.stat();
      return nlink === 0 ? -1 : size;
    },
    async append(bytes) {
      for (let written = 0; written < bytes.length;) {
        written += (await handle.write(bytes, written, bytes.length - written)).bytesWritten;
      }
    },
    flush: () => handle.datasync(),
    truncate: (length) => handle.truncate(length),
    close: () => handle.close(),
  };
}

// Opens a log file for reading or writing. Anything other than a regular file is refused at once. Reading a pipe would
// wait forever, and a folder or a loop of links is not damage that repair can fix.

/**
 * Opens a regular file for reading.
 *
 * @throws LogError `log/not-a-file` for anything else, including a loop of links; any other error of opening, such as
 *   `ENOENT`.
 */
export function openFile(path: string): Promise<FileHandle> {
  return orRefuse(path, () => openRegularFile(path));
}

/**
 * Opens a regular file for writing with these flags. `mode` is used if the file is created.
 *
 * @throws LogError `log/not-a-file` for anything else, such as a pipe or a device, which must not be written; any other
 *   error of opening, such as `ENOSPC`.
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
    // A pipe without a reader cannot be opened only for writing (ENXIO), and a folder cannot be opened for writing at
    // all (EISDIR).
    if (isCode(cause, 'ELOOP')) throw notAFile(path, 'a loop of symbolic links', cause);
    if (isCode(cause, 'ENXIO') || isCode(cause, 'EISDIR')) throw notAFile(path, 'not a regular file', cause);
    if (cause instanceof FileError) throw notAFile(path, cause.kind ?? 'not a regular file', cause);
    throw cause;
  }
}

function isCode(cause: unknown, code: string): boolean {
  return cause instanceof Error && 'code' in cause && cause.code === code;
}

/**
 * Returns the error for a path that is not a regular file. `what` describes the thing at the path, for example `a
 * pipe`.
 */
export function notAFile(path: string, what: string, cause?: unknown): LogError {
  const message = `${path} is ${what}, but a file of records is expected. Nothing was changed. Move it away, and restore the session's folder from a backup.`;
  return new LogError('log/not-a-file', message, { path }, cause);
}

/**
 * True for `ENOENT` and `ENOTDIR`, the errors for a path that does not exist. For use in `catch`, where the caller
 * throws any other error again.
 */
export function isGone(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR');
}

/** True for an error of the operating system, such as `EMFILE` or `EIO`. */
export function isOfSystem(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error && 'code' in error;
}

/** Returns `undefined` if the error shows that a path does not exist. Throws any other error. For use in `catch`. */
export function unlessGone(error: unknown): undefined {
  if (!isGone(error)) throw error;
  return undefined;
}

/** Returns `undefined` if the error shows that a path already exists. Throws any other error. For use in `catch`. */
export function unlessThere(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'EEXIST') throw error;
  return undefined;
}
