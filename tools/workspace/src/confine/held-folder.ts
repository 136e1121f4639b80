// Held folder: keeps a folder open while its files are used. If a symlink replaces the folder during this time, it has
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

/** A folder that is kept open. No symlink was followed to reach it. The caller must close it after use. */
export interface HeldFolder extends AsyncDisposable {
  /**
   * True if `at` returns paths that start at an open descriptor. If false, the caller must call `assertInPlace` before
   * and after each use.
   */
  readonly byDescriptor: boolean;
  /**
   * Returns the path of a name in this folder. The name `.` means the folder itself. The path is valid until the folder
   * is closed. If the name is a symlink, the caller must not follow it: use `lstat`, `rename` or `O_NOFOLLOW`.
   */
  at(name: string): string;
  /**
   * Returns the stats of the entry with this name. If there is no such entry, returns `undefined`. Does not follow a
   * symlink.
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
 * Flag that opens a folder without reading it. Therefore no read permission is needed. Node does not export this flag.
 * Linux uses this value on every processor that Node supports.
 */
const O_PATH = 0o10000000;
const STEP = O_PATH | constants.O_DIRECTORY | constants.O_NOFOLLOW;

const HAS_DESCRIPTORS = process.platform === 'linux' && existsSync('/proc/self/fd');

/**
 * Opens the parent folder of a place and keeps it open. If the folder does not exist, returns `undefined`.
 *
 * @throws WorkspaceError `workspace/moved` when a part of the path has become a link since the path was checked.
 * `workspace/file-system` for any other refusal.
 */
export async function holdFolderOf({ path, shown }: HeldTarget): Promise<HeldFolder | undefined> {
  return holdFolder({ path: dirname(path), shown });
}

/** Does the same as `holdFolderOf`, but opens the folder at this path instead of its parent. */
export async function holdFolder(folder: HeldTarget): Promise<HeldFolder | undefined> {
  return inWords(folder.shown, () => unlessMissing(hold(folder, false)));
}

/**
 * Does the same as `holdFolderOf`, but creates missing folders. This includes a folder that is removed while the path
 * is opened.
 */
export async function makeFolderOf({ path, shown }: HeldTarget): Promise<HeldFolder> {
  return inWords(shown, () => hold({ path: dirname(path), shown }, true));
}

function hold(folder: HeldTarget, make: boolean): Promise<HeldFolder> {
  return HAS_DESCRIPTORS ? walk(folder, make) : holdByPath(folder, make);
}

/**
 * Opens each folder of the path relative to the folder before it. If a symlink replaces a folder at the same time, the
 * symlink is not followed.
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
  /** Does the same as `enter`, but throws the file system's own errors. */
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
      // The error code is the same for a link and for a file. The path was checked before. If it now leads to a link,
      // to a folder or to nothing, it has changed since the check and counts as moved.
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
    // Another writer created the folder first. If the other writer created a link instead, the next step refuses it.
    if (codeOf(error) !== 'EEXIST') throw error;
  }
}

/**
 * Checks a folder by its path instead of keeping it open. Used on systems without `/proc/self/fd`. If the folder is
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
