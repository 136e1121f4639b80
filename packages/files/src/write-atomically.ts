// Writes a file that appears at its path only when it is complete.

import { randomUUID } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Writes a new file with the content that `fill` writes. The file gets a temporary name in `folder` and is flushed.
 * Then it is renamed to the path that `fill` returned. If `fill` returns `undefined`, the file is removed. So a file at
 * its final path is always complete.
 */
export async function writeAtomically(
  folder: string,
  fill: (handle: FileHandle) => Promise<string | undefined>,
): Promise<void> {
  const temporary = join(folder, `.incoming-${randomUUID()}`);
  try {
    const name = await fillFile(temporary, fill);
    if (name !== undefined) return await rename(temporary, name);
    await rm(temporary, { force: true });
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => undefined);
    throw error;
  }
}

async function fillFile(
  path: string,
  fill: (handle: FileHandle) => Promise<string | undefined>,
): Promise<string | undefined> {
  const handle = await open(path, 'wx', 0o600);
  try {
    const name = await fill(handle);
    if (name !== undefined) await handle.sync();
    return name;
  } finally {
    await handle.close();
  }
}
