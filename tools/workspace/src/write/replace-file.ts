// Puts a whole file in the place of another, or where none was: written beside it, flushed, then renamed, so that a reader
// sees the old or the new one, at whatever instant the process is cut (L8). Every step is relative to the held folder.

import type { BigIntStats } from 'node:fs';
import { access, constants, open, rename, unlink, readdir } from 'node:fs/promises';
import { basename } from 'node:path';
import type { WorkspacePlace } from '../confine/confine.ts';
import { inWords, unlessMissing } from '../confine/file-problem.ts';
import type { HeldFolder } from '../confine/held-folder.ts';
import { isSameFile, makeFolderOf } from '../confine/held-folder.ts';
import { WorkspaceError } from '../workspace-error.ts';
import { randomBytes } from 'node:crypto';
import { PROCESS_MARK, processMark, processState } from './process-mark.ts';

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

// Temporary files next to a file that is being written. A killed process leaves its own behind; the next process that writes
// into the folder removes them. `docs/decisions/2026-11-22-folder-descriptors.md` says why nothing removes them sooner.

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
async function removeLeftovers(folder: HeldFolder): Promise<void> {
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
