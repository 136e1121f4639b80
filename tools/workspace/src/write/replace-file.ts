// Replaces a whole file, or creates it. The new content is written to a temporary file in the same folder, flushed, and
// then renamed. A reader sees either the old file or the new file, even if the process is killed at any time (L8). Each
// step uses an open descriptor of the folder (`HeldFolder`) instead of its path.

import type { BigIntStats } from 'node:fs';
import { access, constants, open, rename, unlink, readdir } from 'node:fs/promises';
import { basename } from 'node:path';
import type { WorkspacePlace } from '../confine/confine.ts';
import { inWords, unlessMissing } from '../confine/file-problem.ts';
import type { HeldFolder } from '../confine/held-folder.ts';
import { holdFolderOf, isSameFile, makeFolderOf } from '../confine/held-folder.ts';
import { WorkspaceError } from '../workspace-error.ts';
import { randomBytes } from 'node:crypto';
import { PROCESS_MARK, processMark, processState } from './process-mark.ts';

/**
 * Writes a whole file. `before` is the state of the file that was checked, or `undefined` if no file existed. If the
 * file at this path has changed or is now another file, nothing is written. Missing folders are created, and the mode
 * of the file stays the same. If a process was killed, its temporary files are removed by the next process that writes
 * into the folder.
 *
 * @throws WorkspaceError `workspace/changed`, `workspace/moved` or `workspace/file-system`. In that case, the file is
 * unchanged.
 */
export async function replaceFile(
  place: WorkspacePlace,
  bytes: Uint8Array,
  before: BigIntStats | undefined,
): Promise<void> {
  await using folder = await makeFolderOf(place);
  await inWords(place.shown, async () => {
    // A rename checks only the permission of the folder. This check also refuses to replace a file that its owner made
    // read-only.
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

/**
 * Deletes a file. `before` is the state of the file that was checked. If the file at this path has changed or is now
 * another file, nothing is deleted.
 *
 * @throws WorkspaceError as `replaceFile` does.
 */
export async function removeFile(place: WorkspacePlace, before: BigIntStats): Promise<void> {
  await using folder = await holdFolderOf(place);
  if (folder === undefined) throw changedError(place);
  await inWords(place.shown, async () => {
    const path = folder.at(basename(place.path));
    await access(path, constants.W_OK);
    await assertUnchanged(folder, place, before);
    await folder.assertInPlace();
    await unlink(path);
  });
}

/**
 * Writes the bytes to a new file. Other users may have no access to the old file. Therefore other users cannot open the
 * new file until it has the mode of the old file.
 */
async function writeWhole(path: string, bytes: Uint8Array, before: BigIntStats | undefined): Promise<void> {
  await using handle = await open(path, 'wx', before === undefined ? 0o666 : 0o600);
  await handle.writeFile(bytes);
  if (before !== undefined) await handle.chmod(Number(before.mode & 0o7777n));
  await handle.datasync();
}

async function assertUnchanged(
  folder: HeldFolder,
  place: WorkspacePlace,
  before: BigIntStats | undefined,
): Promise<void> {
  const now = await folder.statsOf(basename(place.path));
  if (before === undefined ? now === undefined : isSameState(before, now)) return;
  throw changedError(place);
}

function changedError({ shown }: WorkspacePlace): WorkspaceError {
  return new WorkspaceError(
    'workspace/changed',
    `${shown} was changed by another process while this call ran; nothing was written. Read it again, then decide.`,
    { path: shown },
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

// The code below handles the temporary files of writes. If a process is killed, its temporary file remains, and the
// next process that writes into the folder removes it. `docs/decisions/2026-11-22-folder-descriptors.md` explains why
// nothing removes it earlier.

/** Pattern of a temporary name. Earlier versions created names without a process mark. */
const NAME = new RegExp(`^\\.tidemark-(?:(${PROCESS_MARK.source})-[0-9a-f]{8}|[0-9a-f]{16})\\.tmp$`);

/**
 * Age in milliseconds after which a temporary file is removed if its writer cannot be checked. Every write takes less
 * time.
 */
const LONGEST_MS = 60 * 60 * 1000;

/** Returns a new temporary name, such as `.tidemark-4711-88123456-1a2b3c4d-0f0f0f0f.tmp`. */
export function temporaryName(): string {
  return `.tidemark-${processMark()}-${randomBytes(4).toString('hex')}.tmp`;
}

/**
 * Folders that this process has already searched. The key includes the birth time, because inode numbers are used
 * again.
 */
const swept = new Set<string>();

/**
 * Removes temporary files from the folder if they belong to ended processes of this user. Each process searches each
 * folder only one time. If a file cannot be removed, it remains.
 */
async function removeLeftovers(folder: HeldFolder): Promise<void> {
  const stats = await folder.statsOf('.');
  const key = `${stats?.dev}:${stats?.ino}:${stats?.birthtimeNs}`;
  if (swept.has(key)) return;
  swept.add(key);
  // If the folder may be written but not listed, nothing is removed.
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
