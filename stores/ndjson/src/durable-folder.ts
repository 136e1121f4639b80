// Folders that are still there after a power loss: a new name is on stable storage once its folder was flushed.

import { mkdir, open } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Makes the folders of one home. */
export interface Folders {
  /** The folder is there, for its owner only, and so are the names that lead to it from the home. */
  make(path: string): Promise<void>;
}

/** Each folder is flushed once in the life of a process: another one may have been killed before it could. */
export function createFolders(home: string): Folders {
  const flushed = new Set<string>();
  return {
    async make(path) {
      const highest = await mkdir(path, { recursive: true, mode: 0o700 });
      if (highest === undefined && flushed.has(path)) return;
      const top = highest !== undefined && highest.length <= home.length ? dirname(highest) : home;
      for (let folder = path; folder.length > top.length; folder = dirname(folder)) await flushFolder(dirname(folder));
      flushed.add(path);
    },
  };
}

/** Flushes the names in a folder. */
export async function flushFolder(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
