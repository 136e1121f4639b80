// Lock of a file for one writer at a time, across processes. Several sessions of a workspace add lines to a memory
// file. Without a lock, a line of another session could be lost between the reading of the file and its replacement.
// The lock is a file in the same folder that only one writer can create.

import { constants, open, unlink } from 'node:fs/promises';
import { basename } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { WorkspacePlace } from '../confine/confine.ts';
import { codeOf, inWords, unlessMissing } from '../confine/file-problem.ts';
import type { HeldFolder } from '../confine/held-folder.ts';
import { makeFolderOf } from '../confine/held-folder.ts';
import { processMark, processState } from './process-mark.ts';

/**
 * Age in milliseconds after which a lock is ignored. The process that holds the lock was then killed or is suspended.
 * If a suspended process continues and writes, its write is refused, because the file has changed since then.
 */
const LONGEST_MS = 5_000;

const PAUSE_MS = 10;

/** Maximum number of bytes read from a lock file. Every process mark is shorter than this. */
const MAX_MARK = 64;

/**
 * Takes the lock of the file, runs the work, and releases the lock. If the lock is not free, waits until it is free.
 *
 * @throws WorkspaceError with the codes of `replaceFile`, any error of the work, or the abort error of the signal.
 */
export async function whileHeld<T>(place: WorkspacePlace, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  await using folder = await makeFolderOf(place);
  const lock = `.tidemark-${basename(place.path)}.lock`;
  while (!(await inWords(place.shown, () => isTaken(folder, lock)))) await pause(PAUSE_MS, undefined, { signal });
  try {
    return await work();
  } finally {
    await unlessMissing(unlink(folder.at(lock)));
  }
}

/**
 * Tries to take the lock. If there is a lock that may be removed (`isForgotten`), removes it and tries again. Returns
 * true on success.
 */
async function isTaken(folder: HeldFolder, lock: string): Promise<boolean> {
  try {
    await using handle = await open(folder.at(lock), 'wx', 0o600);
    await handle.writeFile(processMark());
    return true;
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
    if (!(await isForgotten(folder, lock))) return false;
  }
  await unlessMissing(unlink(folder.at(lock)));
  return isTaken(folder, lock);
}

/**
 * Returns true if the lock may be removed. This is the case if its writer has ended. It is also the case if the time of
 * the lock file differs from the current time by more than `LONGEST_MS`. The time of the lock file may be in the past
 * or in the future.
 */
async function isForgotten(folder: HeldFolder, lock: string): Promise<boolean> {
  const stats = await folder.statsOf(lock);
  if (stats === undefined) return false;
  if (Math.abs(Date.now() - Number(stats.mtimeMs)) > LONGEST_MS) return true;
  return stats.isFile() && processState(await markIn(folder.at(lock))) === 'ended';
}

/** Returns the process mark in a lock file. If the mark cannot be read or is not written yet, returns an empty text. */
async function markIn(path: string): Promise<string> {
  try {
    await using handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(MAX_MARK), 0, MAX_MARK, 0);
    return buffer.toString('latin1', 0, bytesRead);
  } catch (error) {
    if (codeOf(error) === undefined) throw error;
    return '';
  }
}
