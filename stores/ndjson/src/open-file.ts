// Opens a file of lines to be read. What stands in its place and is no file is refused at once: a pipe would be waited for
// without end, and a folder or a loop of links is nobody's damage to repair.

import type { FileHandle } from 'node:fs/promises';
import { open } from 'node:fs/promises';
import { constants } from 'node:fs';
import { LogError } from '@tidemark/log';

/**
 * Opens it. What is no file, is none to a loop of links either.
 *
 * @throws LogError `log/not-a-file`; whatever else opening throws, as `ENOENT`.
 */
export async function openFile(path: string): Promise<FileHandle> {
  // Without it, opening a pipe waits for somebody who writes.
  const handle = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)).catch((cause: unknown) => {
    throw isLoop(cause) ? notAFile(path, 'a loop of links', cause) : cause;
  });
  const kind = await handle.stat();
  if (kind.isFile()) return handle;
  await handle.close();
  throw notAFile(path, kind.isDirectory() ? 'a folder' : kind.isFIFO() ? 'a pipe' : 'a device');
}

function isLoop(cause: unknown): boolean {
  return cause instanceof Error && 'code' in cause && cause.code === 'ELOOP';
}

function notAFile(path: string, what: string, cause?: unknown): LogError {
  const message = `${path} is ${what}, where a file of records belongs. Nothing was changed. Move it away, and restore the session's folder from a backup.`;
  return new LogError('log/not-a-file', message, { path }, cause);
}
