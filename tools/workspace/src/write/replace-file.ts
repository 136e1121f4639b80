// Puts a whole file in the place of another, or where none was: written beside it, flushed, then renamed, so that whoever
// reads sees the old or the new one, at whatever instant the process is cut (L8).

import { randomBytes } from 'node:crypto';
import type { BigIntStats } from 'node:fs';
import { access, constants, mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Place } from '../confine/confine.ts';
import { assertUnmoved, inWords, isSameFile, statsAt } from '../confine/open-file.ts';
import { WorkspaceError } from '../workspace-error.ts';

/**
 * `before` is the file that was judged, `undefined` when there was none: anything else at the place now is left alone.
 * Folders are made; the mode is kept. What a cut process leaves behind is called `.tidemark-….tmp`.
 *
 * @throws WorkspaceError `workspace/changed`, `workspace/moved`, `workspace/file-system`; nothing was changed then.
 */
export async function replaceFile(place: Place, bytes: Uint8Array, before: BigIntStats | undefined): Promise<void> {
  const folder = dirname(place.path);
  await assertUnmoved(place);
  await inWords(place.shown, async () => {
    // A rename asks only the folder for permission; a file that says read-only is meant.
    if (before !== undefined) await access(place.path, constants.W_OK);
    await mkdir(folder, { recursive: true });
  });
  const temporary = join(folder, `.tidemark-${randomBytes(8).toString('hex')}.tmp`);
  try {
    await inWords(place.shown, () => writeWhole(temporary, bytes, before));
    await assertUnmoved(place);
    await assertUnchanged(place, before);
    await inWords(place.shown, () => rename(temporary, place.path));
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

async function writeWhole(path: string, bytes: Uint8Array, before: BigIntStats | undefined): Promise<void> {
  await using handle = await open(path, 'wx');
  await handle.writeFile(bytes);
  if (before !== undefined) await handle.chmod(Number(before.mode & 0o7777n));
  await handle.datasync();
}

/** @throws WorkspaceError `workspace/changed` when another file, or another state of it, stands there than before. */
async function assertUnchanged(place: Place, before: BigIntStats | undefined): Promise<void> {
  const now = await statsAt(place);
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
