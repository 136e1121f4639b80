// Opens a file for reading only where it is one: a pipe that nobody writes to, or a device without end, would hold the
// process. Absent is a value; every other refusal is thrown.

import type { FileHandle } from 'node:fs/promises';
import { constants, open } from 'node:fs/promises';
import { codeOf } from '../confine/file-problem.ts';

/** The open file, to be closed by the caller; `undefined` when there is none, or it is no file. @throws what the file system says. */
export async function openPlainFile(path: string): Promise<FileHandle | undefined> {
  const handle = await openAtOnce(path);
  if (handle === undefined) return undefined;
  try {
    if ((await handle.stat()).isFile()) return handle;
  } catch (error) {
    await handle.close();
    throw error;
  }
  await handle.close();
  return undefined;
}

async function openAtOnce(path: string): Promise<FileHandle | undefined> {
  try {
    return await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'ENXIO'].includes(codeOf(error) ?? '')) return undefined;
    throw error;
  }
}

/** The first bytes of a file as text; `undefined` as in `openPlainFile`. */
export async function readHead(path: string, bytes: number): Promise<string | undefined> {
  const handle = await openPlainFile(path);
  if (handle === undefined) return undefined;
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(bytes), 0, bytes, 0);
    return buffer.toString('utf8', 0, bytesRead);
  } finally {
    await handle.close();
  }
}
