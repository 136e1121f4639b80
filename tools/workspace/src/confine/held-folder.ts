// Held folder: keeps a folder open while its files are used, so that a symlink which replaces the folder meanwhile has
// no effect. Node has no openat(2). On Linux, `/proc/self/fd/N/name` replaces openat(2): the kernel starts at the open
// folder N and resolves one name. Other systems use the path itself and compare it before and after each use.

import type { BigIntStats } from 'node:fs';
import { constants, existsSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { lstat, mkdir, open } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';
import { WorkspaceError } from '../workspace-error.ts';
import type { WorkspacePlace } from './confine.ts';
import { codeOf, inWords, unlessMissing } from './file-problem.ts';
import { resolveLinks } from './resolve-links.ts';

/** A folder that was reached without following a symlink and is kept open. The caller must close it after use. */
export interface HeldFolder extends AsyncDisposable {
  /**
   * True if `at` returns paths that start at an open descriptor. If false, the caller must call `assertInPlace` before
   * and after each use.
   */
  readonly byDescriptor: boolean;
  /**
   * Returns the path of a name in this folder; `.` is the folder itself. The path is valid until the folder is closed.
   * The caller must not follow a symlink of this name: use `lstat`, `rename` or `O_NOFOLLOW`.
   */
  at(name: string): string;
  /**
   * Returns the stats of the entry with this name, or `undefined` if there is no such entry. A symlink is not followed.
   *
   * @throws the system error when the file system refuses.
   */
  statsOf(name: string): Promise<BigIntStats | undefined>;
  /**
   * Opens the subfolder with this name and keeps it open. Error messages show it as `shown`.
   *
   * @throws WorkspaceError `workspace/moved` for a link, `workspace/file-system` for any other refusal.
   */
  enter(name: string, shown: string): Promise<HeldFolder>;
  /**
   * Checks that the path still leads to this folder.
   *
   * @throws WorkspaceError `workspace/moved` when another folder or a link now has the path.
   */
  assertInPlace(): Promise<void>;
}

type HeldTarget = Pick<WorkspacePlace, 'path' | 'shown'>;

/**
 * Flag that opens a folder without reading it, so no read permission is needed. Node does not export it. Linux uses
 * this value on every processor that Node supports.
 */
const O_PATH = 0o10000000;
const STEP = O_PATH | constants.O_DIRECTORY | constants.O_NOFOLLOW;

const HAS_DESCRIPTORS = process.platform === 'linux' && existsSync('/proc/self/fd');

/**
 * Opens the parent folder of a place and keeps it open. Returns `undefined` if the folder does not exist.
 *
 * @throws WorkspaceError `workspace/moved` when a part of the path has become a link since the path was checked;
 *   `workspace/file-system` for any other refusal.
 */
export async function holdFolderOf({ path, shown }: HeldTarget): Promise<HeldFolder | undefined> {
  return holdFolder({ path: dirname(path), shown });
}

/** Like `holdFolderOf`, but opens the folder at this path instead of its parent. */
export async function holdFolder(folder: HeldTarget): Promise<HeldFolder | undefined> {
  return inWords(folder.shown, () => unlessMissing(hold(folder, false)));
}

/** Like `holdFolderOf`, but creates missing folders, even a folder that is removed while the path is opened. */
export async function makeFolderOf({ path, shown }: HeldTarget): Promise<HeldFolder> {
  return inWords(shown, () => hold({ path: dirname(path), shown }, true));
}

function hold(folder: HeldTarget, make: boolean): Promise<HeldFolder> {
  return HAS_DESCRIPTORS ? walk(folder, make) : holdByPath(folder, make);
}

/**
 * Opens each folder of the path relative to the folder before it. No symlink is followed, even if one replaces a folder
 * meanwhile.
 */
async function walk({ path, shown }: HeldTarget, make: boolean): Promise<HeldFolder> {
  let folder = heldBy(await open(sep, STEP), sep, shown);
  for (const name of path.split(sep).filter((part) => part !== '')) {
    await using parent = folder;
    if (make && (await parent.statsOf(name)) === undefined) await makeOne(parent.at(name));
    folder = await parent.step(name);
  }
  return folder;
}

interface DescribedFolder extends HeldFolder {
  /** Like `enter`, but throws the file system's own errors. */
  step(name: string): Promise<DescribedFolder>;
}

function heldBy(handle: FileHandle, path: string, shown: string): DescribedFolder {
  const at = (name: string): string => `/proc/self/fd/${handle.fd}/${name}`;
  const statsOf = (name: string): Promise<BigIntStats | undefined> => unlessMissing(lstat(at(name), { bigint: true }));
  const stepAs = async (name: string, called: string): Promise<DescribedFolder> => {
    const below = join(path, name);
    try {
      return heldBy(await open(at(name), STEP), below, called);
    } catch (error) {
      if (codeOf(error) !== 'ENOTDIR') throw error;
      // The error code is the same for a link and for a file. If a link is at this name, or if the name is now a folder
      // or missing, the path has changed since its check and counts as moved.
      const found = await statsOf(name);
      throw found === undefined || found.isSymbolicLink() || found.isDirectory() ? movedError(called) : error;
    }
  };
  return {
    byDescriptor: true,
    at,
    statsOf,
    step: (name) => stepAs(name, shown),
    enter: (name, called) => inWords(called, () => stepAs(name, called)),
    async assertInPlace() {
      const [own, now] = [await handle.stat({ bigint: true }), await unlessMissing(lstat(path, { bigint: true }))];
      if (!isSameFile(own, now)) throw movedError(shown);
    },
    [Symbol.asyncDispose]: () => handle.close(),
  };
}

async function makeOne(path: string): Promise<void> {
  try {
    await mkdir(path);
  } catch (error) {
    // Another writer created the folder first. If a link was created instead, the next step refuses it.
    if (codeOf(error) !== 'EEXIST') throw error;
  }
}

/**
 * Checks a folder by its path instead of keeping it open, for systems without `/proc/self/fd`. If the folder is
 * replaced and restored between two checks, this is not noticed. Exported for its test.
 */
export async function holdByPath({ path, shown }: HeldTarget, make: boolean): Promise<HeldFolder> {
  const assertInPlace = async (): Promise<void> => {
    if ((await resolveLinks(path)) !== path) throw movedError(shown);
  };
  await assertInPlace();
  if (make) await mkdir(path, { recursive: true });
  if (!(await lstat(path)).isDirectory()) throw Object.assign(new Error(`no folder: ${path}`), { code: 'ENOTDIR' });
  return {
    byDescriptor: false,
    at: (name) => join(path, name),
    statsOf: (name) => unlessMissing(lstat(join(path, name), { bigint: true })),
    enter: (name, called) => inWords(called, () => holdByPath({ path: join(path, name), shown: called }, false)),
    assertInPlace: () => inWords(shown, assertInPlace),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}

/** Returns true if both stats describe the same file, by device and inode number. */
export function isSameFile(a: BigIntStats, b: BigIntStats | undefined): boolean {
  return b !== undefined && a.dev === b.dev && a.ino === b.ino;
}

/** Returns the error for a path that no longer leads to the place that was checked. */
export function movedError(shown: string): WorkspaceError {
  return new WorkspaceError(
    'workspace/moved',
    `${shown} leads to another place than when the call was checked; nothing was done. Check it with \`ls\`, then call again.`,
    { path: shown },
  );
}
