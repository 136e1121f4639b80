// A lock of a file for one writer at a time, whatever process it is in. Several sessions of a workspace add to a memory file, and between
// the look at the file and its replacement another session could lose a line. The lock is a file next to it that only one can make.

import { constants, open, unlink } from 'node:fs/promises';
import { basename } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { WorkspacePlace } from '../confine/confine.ts';
import { codeOf, inWords, unlessMissing } from '../confine/file-problem.ts';
import type { HeldFolder } from '../confine/held-folder.ts';
import { makeFolderOf } from '../confine/held-folder.ts';
import { processMark, processState } from './process-mark.ts';

/** A holder that takes longer was cut, or stands still; what it writes then is refused, as the file has changed. */
const LONGEST_MS = 5_000;

const PAUSE_MS = 10;

/** Longer than any mark. */
const MOST_MARK = 64;

/** Runs the work while no other process runs its own. @throws WorkspaceError as `replaceFile`; what the work throws; the abort. */
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

/** Whether it is ours now. */
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

/** Its writer ended, or it is old by the clock of the file system: a time that lies ahead tells no more than one long past. */
async function isForgotten(folder: HeldFolder, lock: string): Promise<boolean> {
  const stats = await folder.statsOf(lock);
  if (stats === undefined) return false;
  if (Math.abs(Date.now() - Number(stats.mtimeMs)) > LONGEST_MS) return true;
  return stats.isFile() && processState(await markIn(folder.at(lock))) === 'ended';
}

/** Empty where it cannot be read, or is not written yet. */
async function markIn(path: string): Promise<string> {
  try {
    await using handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(MOST_MARK), 0, MOST_MARK, 0);
    return buffer.toString('latin1', 0, bytesRead);
  } catch (error) {
    if (codeOf(error) === undefined) throw error;
    return '';
  }
}
