// Opens and reads regular files only. Opening never waits. The check is made on the opened file, so replacing the path
// after the check has no effect.

import type { Stats } from 'node:fs';
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { open } from 'node:fs/promises';

import { FileError } from './file-error.ts';

/** Options for opening a file. */
export interface OpenRule {
  /** With `refuse`, a symlink at the last part of the path is an error (`ELOOP`). Default: `follow`. */
  readonly links?: 'follow' | 'refuse';
}

/** Options for reading a file. */
export interface FileReadRule extends OpenRule {
  /** Maximum file size, in bytes. */
  readonly most: number;
}

const CHUNK = 65_536;

/**
 * Opens a regular file for reading. The caller must close it.
 *
 * @throws FileError `file/not-a-file`; the error of the system, such as `ENOENT`.
 */
export async function openRegularFile(path: string, rule: OpenRule = {}): Promise<FileHandle> {
  const handle = await open(path, flagsOf(rule)).catch((error: unknown) => {
    throw asFileError(error, path);
  });
  return requireRegularFile(handle, path);
}

/**
 * Returns an open handle if it is a regular file. Otherwise closes the handle and throws. Use it for a file that is
 * opened for writing.
 *
 * @throws FileError `file/not-a-file`.
 */
export async function requireRegularFile(handle: FileHandle, path: string): Promise<FileHandle> {
  try {
    requireRegular(await handle.stat(), path);
    return handle;
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/**
 * Reads a whole regular file.
 *
 * @throws FileError `file/not-a-file`, `file/too-large`; the error of the system, such as `ENOENT` or `EIO`.
 */
export async function readRegularFile(path: string, rule: FileReadRule): Promise<Buffer> {
  const handle = await openRegularFile(path, rule);
  try {
    return await readOpenFile(handle, path, rule);
  } finally {
    await handle.close();
  }
}

/**
 * Reads an open file from its current position to the end. The file stays open.
 *
 * @throws FileError `file/too-large`; the error of the system, such as `EIO`.
 */
export async function readOpenFile(
  handle: FileHandle,
  path: string,
  rule: Pick<FileReadRule, 'most'>,
): Promise<Buffer> {
  const room = roomFor((await handle.stat()).size, path, rule);
  for (let chunk = room.next(); ; chunk = room.next()) {
    const { bytesRead } = await handle.read(chunk, 0, chunk.length, null);
    if (bytesRead === 0) return room.whole();
    room.took(bytesRead);
  }
}

/**
 * Synchronous form of `readRegularFile`.
 *
 * @throws the same errors as `readRegularFile`.
 */
export function readRegularFileSync(path: string, rule: FileReadRule): Buffer {
  const file = openNow(path, rule);
  try {
    const stats = fstatSync(file);
    requireRegular(stats, path);
    const room = roomFor(stats.size, path, rule);
    for (let chunk = room.next(); ; chunk = room.next()) {
      const bytesRead = readSync(file, chunk, 0, chunk.length, null);
      if (bytesRead === 0) return room.whole();
      room.took(bytesRead);
    }
  } finally {
    closeSync(file);
  }
}

function openNow(path: string, rule: OpenRule): number {
  try {
    return openSync(path, flagsOf(rule));
  } catch (error) {
    throw asFileError(error, path);
  }
}

/** With `O_NONBLOCK`, opening a pipe does not wait. Windows has neither `O_NONBLOCK` nor `O_NOFOLLOW`. */
function flagsOf({ links }: OpenRule): number {
  return constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (links === 'refuse' ? (constants.O_NOFOLLOW ?? 0) : 0);
}

/**
 * Converts the error of opening a socket or a device without a driver to a `FileError`, because such a path cannot be
 * opened. Returns other errors unchanged.
 */
function asFileError(error: unknown, path: string): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return code === 'ENXIO' || code === 'ENODEV' || code === 'EOPNOTSUPP'
    ? notAFile(path, 'a socket or a device')
    : error;
}

function requireRegular(stats: Stats, path: string): void {
  if (!stats.isFile()) throw notAFile(path, kindOf(stats));
}

function kindOf(stats: Stats): string {
  if (stats.isDirectory()) return 'a folder';
  if (stats.isFIFO()) return 'a pipe';
  return stats.isSocket() ? 'a socket' : 'a device';
}

function notAFile(path: string, kind: string): FileError {
  const next = kind === 'a folder' ? 'use a file, not a folder' : 'move it away, or use a regular file';
  return new FileError('file/not-a-file', { path, what: `is ${kind}, not a regular file`, next, kind });
}

interface ReadBuffer {
  next(): Buffer;
  took(bytes: number): void;
  whole(): Buffer;
}

/**
 * Collects the bytes of a file in buffers. The buffers are one byte larger than the maximum. If a file grows above the
 * maximum while it is read, this is therefore detected.
 */
function roomFor(size: number, path: string, { most }: Pick<FileReadRule, 'most'>): ReadBuffer {
  if (size > most) throw tooLarge(path, most);
  const parts: Buffer[] = [];
  let held = 0;
  let chunk = Buffer.alloc(0);
  return {
    next: () => (chunk = Buffer.allocUnsafe(Math.min(Math.max(CHUNK, size + 1 - held), most + 1 - held))),
    took(bytes) {
      held += bytes;
      if (held > most) throw tooLarge(path, most);
      parts.push(chunk.subarray(0, bytes));
    },
    whole: () => Buffer.concat(parts, held),
  };
}

function tooLarge(path: string, most: number): FileError {
  const what = `has more than ${most} bytes, the maximum for such a file`;
  return new FileError('file/too-large', { path, what, next: 'make it smaller, or use another file' });
}
