// Reads and writes small JSON files in the home. Each workspace has one such file. A write replaces the whole file in
// one step.

import { createHash, randomUUID } from 'node:crypto';
import type { Stats } from 'node:fs';
import { lstat, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import { FileError, makeFolder, openRegularFile, readOpenFile } from '@tidemark/files';

/**
 * Maximum size of a file in bytes. It is much larger than the usual size, because grants and trust records are short
 * lines.
 */
const MAX_BYTES = 16 * 1_024 * 1_024;

/**
 * Returns the path of the file in `folder` that belongs to a workspace. The name of the file is the SHA-256 of the
 * workspace's real path.
 */
export function workspaceFile(home: string, folder: string, workspace: string): string {
  return join(home, folder, `${createHash('sha256').update(workspace).digest('hex')}.json`);
}

/** Text of a file in the home, or the reason why the file is not used. Both are absent if there is no file. */
export interface OwnText {
  readonly text?: string;
  /** Reason as a part of a sentence that begins with the path: `is a symbolic link`. */
  readonly problem?: string;
}

/**
 * Reads `<home>/<folder>/<file>`. Returns a problem instead of a text if the path is not a regular file. Also returns a
 * problem if another user owns or can write the file or its folder. Files of root are accepted. If the process runs as
 * root, files of the owner of the home are accepted too.
 *
 * @throws the error of the system when the file cannot be read.
 */
export async function readOwnFile(path: string): Promise<OwnText> {
  const stats = await statsIfThere(path);
  if (stats === undefined) return {};
  const owner = (await stat(dirname(dirname(path)))).uid;
  const problem = kindProblem(stats) ?? writersProblem(stats, owner) ?? folderProblem(await stat(dirname(path)), owner);
  if (problem !== undefined) return { problem };
  // If a link has replaced the file since the checks above, the system refuses it.
  try {
    await using file = await openRegularFile(path, { links: 'refuse' });
    const changed = writersProblem(await file.stat(), owner);
    if (changed !== undefined) return { problem: changed };
    return { text: (await readOpenFile(file, path, { most: MAX_BYTES })).toString('utf8') };
  } catch (error) {
    if (error instanceof FileError) return { problem: error.what };
    throw error;
  }
}

async function statsIfThere(path: string): Promise<Stats | undefined> {
  try {
    return await lstat(path);
  } catch (error) {
    if (isCode(error, 'ENOENT')) return undefined;
    throw error;
  }
}

function kindProblem(stats: Stats): string | undefined {
  if (stats.isFile()) return undefined;
  return stats.isSymbolicLink() ? 'is a symbolic link' : 'is not a file';
}

function folderProblem(stats: Stats, homeOwner: number): string | undefined {
  const problem = writersProblem(stats, homeOwner);
  return problem === undefined ? undefined : `is in a folder that ${problem}`;
}

/**
 * Returns the reason why another user possibly wrote the file. Windows has no modes and no user ids, so nothing is
 * checked there. `sudo` may leave the home of the calling user unchanged, so root accepts the files of that user.
 */
function writersProblem({ mode, uid, gid }: Stats, homeOwner: number): string | undefined {
  const [user, group] = [process.geteuid?.(), process.getegid?.()];
  if (user === undefined || group === undefined) return undefined;
  const shown = `(mode ${(mode & 0o777).toString(8).padStart(4, '0')})`;
  if ((mode & 0o002) !== 0) return `can be written by every user ${shown}`;
  if ((mode & 0o020) !== 0 && gid !== group) return `can be written by the group ${gid} ${shown}`;
  const counts = uid === user || uid === 0 || (user === 0 && uid === homeOwner);
  return counts ? undefined : `belongs to the user ${uid}`;
}

/** Replaces a file in one step. Only its owner can read it (mode 0600, folder 0700). */
export async function replaceOwnFile(path: string, text: string): Promise<void> {
  await makeFolder(dirname(path), 0o700);
  const next = `${path}.${randomUUID()}`;
  try {
    await writeFile(next, text, { mode: 0o600, flush: true, flag: 'wx' });
    await rename(next, path);
  } catch (error) {
    await rm(next, { force: true });
    throw error;
  }
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
