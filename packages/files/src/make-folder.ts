// Makes a folder and those above it. Node's own `mkdir` with `recursive` never returns where a file system answers ENOENT although the
// parent is there, as /proc does.

import { mkdirSync, statSync } from 'node:fs';
import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Makes a folder and those above it that are missing. Returns the highest one that was made; `undefined` where all were there.
 *
 * @throws the error of the system, such as `EEXIST` for a file in its place.
 */
export async function makeFolder(path: string, mode: number = 0o777): Promise<string | undefined> {
  try {
    await mkdir(path, { mode });
    return path;
  } catch (error) {
    if (await isFolder(path)) return undefined;
    const parent = dirname(path);
    if (!isMissing(error) || parent === path || (await isFolder(parent))) throw error;
    const above = await makeFolder(parent, mode);
    const own = await makeFolder(path, mode);
    return above ?? own;
  }
}

/** As `makeFolder`, while nothing else runs. @throws as `makeFolder` does. */
export function makeFolderSync(path: string, mode: number = 0o777): void {
  try {
    mkdirSync(path, { mode });
  } catch (error) {
    if (isFolderSync(path)) return;
    const parent = dirname(path);
    if (!isMissing(error) || parent === path || isFolderSync(parent)) throw error;
    makeFolderSync(parent, mode);
    makeFolderSync(path, mode);
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}

function isFolderSync(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

async function isFolder(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isDirectory() === true;
}
