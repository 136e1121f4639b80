// Opens exactly the file that was checked. Its folder is kept open during this time, and the file is opened through the
// folder. If a symlink was created after the check, it is not followed.

import type { BigIntStats } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { constants, open } from 'node:fs/promises';
import { basename } from 'node:path';
import { WorkspaceError } from '../workspace-error.ts';
import type { WorkspacePlace } from './confine.ts';
import { inWords } from './file-problem.ts';
import type { HeldFolder } from './held-folder.ts';
import { holdFolderOf, isSameFile, movedError } from './held-folder.ts';

/** An open file and its stats at the time it was opened. */
export interface OpenFile extends AsyncDisposable {
  readonly handle: FileHandle;
  readonly stats: BigIntStats;
}

/**
 * Opens a file. The caller must close it. If the file does not exist, returns `undefined`. Never waits. If the path is
 * a pipe or a device, it is refused and not opened.
 *
 * @throws WorkspaceError `workspace/not-a-file` for anything other than a regular file. `workspace/moved` when the path
 * no longer leads to the checked place. `workspace/file-system` for an error of the file system.
 */
export async function openFile(place: WorkspacePlace): Promise<OpenFile | undefined> {
  await using folder = await holdFolderOf(place);
  return folder === undefined ? undefined : await inWords(place.shown, () => openIn(folder, place));
}

async function openIn(folder: HeldFolder, place: WorkspacePlace): Promise<OpenFile | undefined> {
  const name = basename(place.path);
  const found = await folder.statsOf(name);
  if (found === undefined) return undefined;
  if (!found.isFile() && !found.isSymbolicLink()) throw notAFile(place, found);
  const handle = await open(folder.at(name), constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const stats = await handle.stat({ bigint: true });
    if (!stats.isFile()) throw notAFile(place, stats);
    if (!folder.byDescriptor) await assertSame(folder, name, stats, place);
    return { handle, stats, [Symbol.asyncDispose]: () => handle.close() };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/**
 * Checks that the opened file is still the file at this path. This is needed only on systems without folder
 * descriptors. On these systems, the file was opened by its path.
 */
async function assertSame(
  folder: HeldFolder,
  name: string,
  stats: BigIntStats,
  { shown }: WorkspacePlace,
): Promise<void> {
  await folder.assertInPlace();
  if (!isSameFile(stats, await folder.statsOf(name))) throw movedError(shown);
}

/** Returns the error for a path that is not a regular file. */
export function notAFile({ shown }: Pick<WorkspacePlace, 'shown'>, stats: { isDirectory(): boolean }): WorkspaceError {
  const next = stats.isDirectory()
    ? 'is a folder, not a file. List it with `ls`.'
    : 'is a pipe, a socket or a device, not a regular file. Continue without it, or use `bash`.';
  return new WorkspaceError('workspace/not-a-file', `${shown} ${next}`, { path: shown });
}
