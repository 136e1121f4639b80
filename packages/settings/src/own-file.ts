// A small JSON file of the home, one for each workspace: replaced in one step, and written by one process at a time.

import { createHash, randomUUID } from 'node:crypto';
import { lstat, mkdir, open, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

/** Milliseconds after which a lock counts as left behind by a process that was cut. */
const LONGEST_MS = 5_000;
const PAUSE_MS = 10;

/** Returns the path of the file of a workspace, named by the SHA-256 of its real path. */
export function workspaceFile(home: string, folder: string, workspace: string): string {
  return join(home, folder, `${createHash('sha256').update(workspace).digest('hex')}.json`);
}

/** Returns the text of a file; `undefined` when there is none. */
export async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (isCode(error, 'ENOENT')) return undefined;
    throw error;
  }
}

/** Replaces a file in one step. Only its owner can read it (0600, its folder 0700). */
export async function replaceOwnFile(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const next = `${path}.${randomUUID()}`;
  try {
    await writeFile(next, text, { mode: 0o600, flush: true, flag: 'wx' });
    await rename(next, path);
  } catch (error) {
    await rm(next, { force: true });
    throw error;
  }
}

/** Does the work while no other process does work on the same file. */
export async function withLock<T>(path: string, work: () => Promise<T>): Promise<T> {
  const lock = `${path}.lock`;
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  while (!(await isTaken(lock))) await pause(PAUSE_MS);
  try {
    return await work();
  } finally {
    await rm(lock, { force: true });
  }
}

/** Whether the lock is held by this call now. */
async function isTaken(lock: string): Promise<boolean> {
  try {
    await (await open(lock, 'wx', 0o600)).close();
    return true;
  } catch (error) {
    if (!isCode(error, 'EEXIST')) throw error;
    if (await isLeftBehind(lock)) await rm(lock, { force: true });
    return false;
  }
}

async function isLeftBehind(lock: string): Promise<boolean> {
  try {
    return Math.abs(Date.now() - (await lstat(lock)).mtimeMs) > LONGEST_MS;
  } catch (error) {
    if (isCode(error, 'ENOENT')) return false;
    throw error;
  }
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
