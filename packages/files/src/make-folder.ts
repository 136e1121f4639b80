// Makes a folder and its missing parents. Node's own `mkdir` with `recursive` never returns if a file system reports
// ENOENT although the parent exists. /proc is such a file system.

import { mkdirSync, statSync } from 'node:fs';
import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Makes a folder and its missing parents. Returns the highest folder that was made, or `undefined` if all folders
 * existed.
 *
 * @throws the error of the system, such as `EEXIST` for a file at the path.
 */
export async function makeFolder(path: string, mode: number = 0o777): Promise<string | undefined> {
  const first = await tryToMake(path, mode);
  if (!(first instanceof Error)) return first;
  const parent = dirname(path);
  if (!isMissing(first) || parent === path) throw first;
  const above = await makeFolder(parent, mode);
  // The second attempt fails if another process has removed the parent in the meantime. It returns `undefined` if
  // another process has made the folder.
  const second = await tryToMake(path, mode);
  if (second instanceof Error) throw second;
  return above ?? second;
}

/** Makes one folder. Returns its path, or `undefined` if the folder already exists, or the error of the system. */
async function tryToMake(path: string, mode: number): Promise<string | Error | undefined> {
  try {
    await mkdir(path, { mode });
    return path;
  } catch (error) {
    if (await isFolder(path)) return undefined;
    return error instanceof Error ? error : new Error(String(error));
  }
}

/**
 * Synchronous form of `makeFolder`, without a result.
 *
 * @throws the same errors as `makeFolder`.
 */
export function makeFolderSync(path: string, mode: number = 0o777): void {
  const first = tryToMakeSync(path, mode);
  if (first === undefined) return;
  const parent = dirname(path);
  if (!isMissing(first) || parent === path) throw first;
  makeFolderSync(parent, mode);
  const second = tryToMakeSync(path, mode);
  if (second !== undefined) throw second;
}

/** Makes one folder. Returns `undefined` if the folder exists afterwards, otherwise the error of the system. */
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
