// One writer of a memory file at a time, whatever process it is in: several sessions of a workspace add to it, and between
// the look at a file and its replacement another one's line could be lost. Held by a file beside it that only one can make.

import { lstat, mkdir, open, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Place } from '../confine/confine.ts';
import { codeOf } from '../confine/file-problem.ts';
import { assertUnmoved, inWords } from '../confine/open-file.ts';

/** Who holds it for longer was cut, or stands still; what that one writes then is refused, as the file has changed. */
const LONGEST_MS = 5_000;
const PAUSE_MS = 10;

/** Does the work while nobody else does. @throws WorkspaceError as `replaceFile`; what the work throws; the abort. */
export async function whileHeld<T>(place: Place, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  await assertUnmoved(place);
  const lock = join(dirname(place.path), `.tidemark-${basename(place.path)}.lock`);
  await inWords(place.shown, () => mkdir(dirname(lock), { recursive: true }));
  while (!(await inWords(place.shown, () => isTaken(lock)))) await pause(PAUSE_MS, undefined, { signal });
  try {
    return await work();
  } finally {
    await rm(lock, { force: true });
  }
}

/** Whether it is ours now. */
async function isTaken(lock: string): Promise<boolean> {
  try {
    await (await open(lock, 'wx')).close();
    return true;
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
    if (await isForgotten(lock)) await rm(lock, { force: true });
    return false;
  }
}

/** By the clock of the file system: a time that lies ahead tells no more than one that is long past. */
async function isForgotten(lock: string): Promise<boolean> {
  try {
    return Math.abs(Date.now() - (await lstat(lock)).mtimeMs) > LONGEST_MS;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return false;
    throw error;
  }
}
