// A file that is there whole or not at all: written beside its place, flushed, renamed.

import { randomUUID } from 'node:crypto';
import { open, rename, rm } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { join } from 'node:path';

/** Writes a new file in `folder` by `fill`, then gives it the name that `fill` returned; nothing for no name. */
export async function writeAtomically(
  folder: string,
  fill: (handle: FileHandle) => Promise<string | undefined>,
): Promise<void> {
  const temporary = join(folder, `.incoming-${randomUUID()}`);
  try {
    const name = await filled(temporary, fill);
    if (name !== undefined) return await rename(temporary, name);
    await rm(temporary, { force: true });
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => undefined);
    throw error;
  }
}

async function filled(
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
