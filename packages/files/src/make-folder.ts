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
  const first = await tryToMake(path, mode);
  if (!(first instanceof Error)) return first;
  const parent = dirname(path);
  if (!isMissing(first) || parent === path) throw first;
  const above = await makeFolder(parent, mode);
  // Another process may have made or removed it meanwhile.
  const second = await tryToMake(path, mode);
  if (second instanceof Error) throw second;
  return above ?? second;
}

/** The path of a folder that was made; `undefined` for one that is there; or why it was not made. */
async function tryToMake(path: string, mode: number): Promise<string | Error | undefined> {
  try {
    await mkdir(path, { mode });
    return path;
  } catch (error) {
    if (await isFolder(path)) return undefined;
    return error instanceof Error ? error : new Error(String(error));
  }
}

/** As `makeFolder`, while nothing else runs. @throws as `makeFolder` does. */
export function makeFolderSync(path: string, mode: number = 0o777): void {
  const first = tryToMakeSync(path, mode);
  if (first === undefined) return;
  const parent = dirname(path);
  if (!isMissing(first) || parent === path) throw first;
  makeFolderSync(parent, mode);
  const second = tryToMakeSync(path, mode);
  if (second !== undefined) throw second;
}

/** Why there is no folder. */
function tryToMakeSync(path: string, mode: number): Error | undefined {
  try {
    mkdirSync(path, { mode });
    return undefined;
  } catch (error) {
    if (isFolderSync(path)) return undefined;
    return error instanceof Error ? error : new Error(String(error));
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
