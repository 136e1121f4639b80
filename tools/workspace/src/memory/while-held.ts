// One writer of a memory file at a time, whatever process it is in: several sessions of a workspace add to it, and between
// the look at a file and its replacement another one's line could be lost. Held by a file beside it that only one can make.

import { open, unlink } from 'node:fs/promises';
import { basename } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Place } from '../confine/confine.ts';
import { codeOf, inWords, unlessMissing } from '../confine/file-problem.ts';
import type { HeldFolder } from '../confine/held-folder.ts';
import { makeFolderOf } from '../confine/held-folder.ts';

/** A holder that takes longer was cut, or stands still; what it writes then is refused, as the file has changed. */
const LONGEST_MS = 5_000;
const PAUSE_MS = 10;

/** Runs the work while no other process runs its own. @throws WorkspaceError as `replaceFile`; what the work throws; the abort. */
export async function whileHeld<T>(place: Place, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  await using folder = await makeFolderOf(place);
  const lock = `.tidemark-${basename(place.path)}.lock`;
  while (!(await inWords(place.shown, () => isTaken(folder, lock)))) await pause(PAUSE_MS, undefined, { signal });
  try {
    return await work();
  } finally {
    await unlessMissing(unlink(folder.at(lock)));
  }
}

/** Whether it is ours now. */
async function isTaken(folder: HeldFolder, lock: string): Promise<boolean> {
  try {
    await (await open(folder.at(lock), 'wx')).close();
    return true;
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
    if (await isForgotten(folder, lock)) await unlessMissing(unlink(folder.at(lock)));
    return false;
  }
}

/** By the clock of the file system: a time that lies ahead tells no more than one that is long past. */
async function isForgotten(folder: HeldFolder, lock: string): Promise<boolean> {
  const stats = await folder.statsOf(lock);
  return stats !== undefined && Math.abs(Date.now() - Number(stats.mtimeMs)) > LONGEST_MS;
}
