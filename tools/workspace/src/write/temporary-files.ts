// The files beside a file that is being written. A process that is killed leaves its own behind; the next process that
// writes into the folder removes them. `docs/decisions/2026-11-22-folder-descriptors.md` says why nothing does it sooner.

import { randomBytes } from 'node:crypto';
import { readdir, unlink } from 'node:fs/promises';
import type { HeldFolder } from '../confine/held-folder.ts';
import { unlessMissing } from '../confine/file-problem.ts';
import { PROCESS_MARK, processMark, processState } from './process-mark.ts';

/** The second form, without a mark, is that of earlier versions. */
const NAME = new RegExp(`^\\.tidemark-(?:(${PROCESS_MARK.source})-[0-9a-f]{8}|[0-9a-f]{16})\\.tmp$`);

/** No write takes as long. After it a file is removed whose writer cannot be looked for. */
const LONGEST_MS = 60 * 60 * 1000;

/** A new name: `.tidemark-4711-88123456-1a2b3c4d-0f0f0f0f.tmp`. */
export function temporaryName(): string {
  return `.tidemark-${processMark()}-${randomBytes(4).toString('hex')}.tmp`;
}

/** Folders that this process has looked through, by device, number and birth: a number is given again. */
const swept = new Set<string>();

/**
 * Removes what ended processes of this user left in the folder. It looks once for each folder and process.
 * A file that cannot be removed stays.
 */
export async function removeLeftovers(folder: HeldFolder): Promise<void> {
  const stats = await folder.statsOf('.');
  const key = `${stats?.dev}:${stats?.ino}:${stats?.birthtimeNs}`;
  if (swept.has(key)) return;
  swept.add(key);
  // A folder that may be written and not listed is left as it is.
  const names = await readdir(folder.at('.')).catch(() => []);
  const left = names.filter((name) => NAME.test(name));
  await Promise.all(left.map((name) => removeLeftover(folder, name).catch(() => undefined)));
}

async function removeLeftover(folder: HeldFolder, name: string): Promise<void> {
  const stats = await folder.statsOf(name);
  if (stats?.isFile() !== true || Number(stats.uid) !== process.getuid?.()) return;
  const mark = NAME.exec(name)?.[1];
  const state = mark === undefined ? 'unknown' : processState(mark);
  const isOld = Date.now() - Number(stats.mtimeMs) > LONGEST_MS;
  if (state === 'ended' || (state === 'unknown' && isOld)) await unlessMissing(unlink(folder.at(name)));
}
