// Puts a whole file in the place of another, or where none was: written beside it, flushed, then renamed, so that a reader
// sees the old or the new one, at whatever instant the process is cut (L8). Every step is relative to the held folder.

import type { BigIntStats } from 'node:fs';
import { access, constants, open, rename, unlink } from 'node:fs/promises';
import { basename } from 'node:path';
import type { WorkspacePlace } from '../confine/confine.ts';
import { inWords, unlessMissing } from '../confine/file-problem.ts';
import type { HeldFolder } from '../confine/held-folder.ts';
import { isSameFile, makeFolderOf } from '../confine/held-folder.ts';
import { WorkspaceError } from '../workspace-error.ts';
import { removeLeftovers, temporaryName } from './temporary-files.ts';

/**
 * `before` is the file that was judged, `undefined` when there was none: anything else at the place now is left alone.
 * Folders are made; the mode is kept. What a killed process leaves behind, the next one that writes there removes.
 *
 * @throws WorkspaceError `workspace/changed`, `workspace/moved`, `workspace/file-system`; nothing was changed then.
 */
export async function replaceFile(
  place: WorkspacePlace,
  bytes: Uint8Array,
  before: BigIntStats | undefined,
): Promise<void> {
  await using folder = await makeFolderOf(place);
  await inWords(place.shown, async () => {
    // A rename asks only the folder for permission; a file that says read-only is meant.
    if (before !== undefined) await access(folder.at(basename(place.path)), constants.W_OK);
    await removeLeftovers(folder);
    await writeBeside(folder, place, bytes, before);
  });
}

async function writeBeside(
  folder: HeldFolder,
  place: WorkspacePlace,
  bytes: Uint8Array,
  before: BigIntStats | undefined,
): Promise<void> {
  const temporary = folder.at(temporaryName());
  try {
    await writeWhole(temporary, bytes, before);
    await assertUnchanged(folder, place, before);
    await folder.assertInPlace();
    await rename(temporary, folder.at(basename(place.path)));
  } catch (error) {
    await unlessMissing(unlink(temporary));
    throw error;
  }
}

/** The words of a file that is closed to others are closed to them here too, before the mode is set. */
async function writeWhole(path: string, bytes: Uint8Array, before: BigIntStats | undefined): Promise<void> {
  await using handle = await open(path, 'wx', before === undefined ? 0o666 : 0o600);
  await handle.writeFile(bytes);
  if (before !== undefined) await handle.chmod(Number(before.mode & 0o7777n));
  await handle.datasync();
}

/** @throws WorkspaceError `workspace/changed` when another file, or another state of it, stands there than before. */
async function assertUnchanged(
  folder: HeldFolder,
  place: WorkspacePlace,
  before: BigIntStats | undefined,
): Promise<void> {
  const now = await folder.statsOf(basename(place.path));
  if (before === undefined ? now === undefined : isSameState(before, now)) return;
  throw new WorkspaceError(
    'workspace/changed',
    `${place.shown} was changed by somebody else while this call ran; nothing was written. Read it again, then decide.`,
    { path: place.shown },
  );
}

function isSameState(before: BigIntStats, now: BigIntStats | undefined): boolean {
  return (
    isSameFile(before, now) &&
    before.size === now?.size &&
    before.mtimeNs === now.mtimeNs &&
    before.ctimeNs === now.ctimeNs
  );
}
