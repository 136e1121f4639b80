// The lowest seam: all that the writer asks of the operating system. Faults are injected here, and nowhere above.

import { constants } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { open, statfs } from 'node:fs/promises';
import { FileError, openRegularFile, requireRegularFile } from '@tidemark/files';
import { LogError } from '@tidemark/log';

/** A log file, open for appending. */
export interface LogFile {
  /** Its length in bytes; -1 when no name leads to it any more. */
  size(): Promise<number>;
  /** Writes behind the end, in one piece as a rule. It may have written a part when it throws. */
  append(bytes: Uint8Array): Promise<void>;
  /** The bytes are on stable storage when it returns. */
  flush(): Promise<void>;
  truncate(length: number): Promise<void>;
  close(): Promise<void>;
}

/** What the writer asks of the operating system. */
export interface FilePort {
  /** Opens a file for appending; with `create` it is made, readable by its owner only. @throws LogError `log/not-a-file`. */
  openLog(path: string, create: boolean): Promise<LogFile>;
  /** The type of the file system that a path stands on, as `statfs` gives it. */
  filesystemType(path: string): Promise<number>;
}

/** The operating system itself. */
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

// Opens a file of lines, to be read or written. Anything else in its place is refused at once: reading a pipe would wait
// without end, and a folder or a loop of links is not damage that repair can fix.

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

/**
 * Returns true for an error of the operating system that a name leads to nothing. For `catch`; the caller throws any other
 * error on.
 */
export function isGone(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR');
}

/** Whether an error comes from the operating system, such as `EMFILE` or `EIO`. */
export function isOfSystem(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error && 'code' in error;
}

/** The name leads to nothing: there is nothing to read. */
export function unlessGone(error: unknown): undefined {
  if (!isGone(error)) throw error;
  return undefined;
}

/** The name is taken: what should be there is there. */
export function unlessThere(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'EEXIST') throw error;
  return undefined;
}
