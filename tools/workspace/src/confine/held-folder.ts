// A folder that is held open while the files in it are used, so that a symlink that takes its place meanwhile leads
// nowhere. Node has no openat(2). On Linux `/proc/self/fd/N/name` stands for it: the kernel starts at the open folder N
// and takes one step. On other systems the path itself is used, and compared before and after each use.

import type { BigIntStats } from 'node:fs';
import { constants, existsSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { lstat, mkdir, open } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';
import { WorkspaceError } from '../workspace-error.ts';
import type { WorkspacePlace } from './confine.ts';
import { codeOf, inWords, unlessMissing } from './file-problem.ts';
import { resolveLinks } from './resolve-links.ts';

/** A folder that was reached without following a symlink. It is closed by its holder. */
export interface HeldFolder extends AsyncDisposable {
  /** Whether `at` starts at an open descriptor. If not, `assertInPlace` has to stand around each use. */
  readonly byDescriptor: boolean;
  /** The path of a name in this folder, `.` for the folder itself. Valid until the folder is closed. A link of this name must not be followed: use `lstat`, `rename`, `O_NOFOLLOW`. */
  at(name: string): string;
  /** What has this name, a symlink as itself; `undefined` when nothing has. @throws the file system's own error. */
  statsOf(name: string): Promise<BigIntStats | undefined>;
  /** The folder of this name, held too. `shown` names it in errors. @throws WorkspaceError `workspace/moved` for a link, `workspace/file-system`. */
  enter(name: string, shown: string): Promise<HeldFolder>;
  /** @throws WorkspaceError `workspace/moved` when another folder, or a link, has the path now. */
  assertInPlace(): Promise<void>;
}

/** The part of a place that is needed to hold its folder. */
type HeldTarget = Pick<WorkspacePlace, 'path' | 'shown'>;

/** Linux has this value on every processor that Node is built for; Node does not name it. Such a descriptor reads nothing and needs no right to read. */
const O_PATH = 0o10000000;
const STEP = O_PATH | constants.O_DIRECTORY | constants.O_NOFOLLOW;

const HAS_DESCRIPTORS = process.platform === 'linux' && existsSync('/proc/self/fd');

/**
 * Holds the folder that a place lies in; `undefined` when there is none.
 *
 * @throws WorkspaceError `workspace/moved` when a part of the path, real when it was judged, is a link now; `workspace/file-system`.
 */
export async function holdFolderOf({ path, shown }: HeldTarget): Promise<HeldFolder | undefined> {
  return holdFolder({ path: dirname(path), shown });
}

/** Holds the folder at this path; otherwise as `holdFolderOf`. */
export async function holdFolder(folder: HeldTarget): Promise<HeldFolder | undefined> {
  return inWords(folder.shown, () => unlessMissing(hold(folder, false)));
}

/** As `holdFolderOf`, but makes the folders that are missing, also one that disappears meanwhile. */
export async function makeFolderOf({ path, shown }: HeldTarget): Promise<HeldFolder> {
  return inWords(shown, () => hold({ path: dirname(path), shown }, true));
}

function hold(folder: HeldTarget, make: boolean): Promise<HeldFolder> {
  return HAS_DESCRIPTORS ? walk(folder, make) : holdByPath(folder, make);
}

/** Goes from the root of the file system, one open folder at a time. Each is closed once the next one is open. */
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
  /** As `enter`, but throws the file system's own errors. */
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
      // The answer for a link and for a file is the same. A folder, or nothing: it was a link a moment ago.
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
    // Another writer was first. A link that came meanwhile is refused by the next step.
    if (codeOf(error) !== 'EEXIST') throw error;
  }
}

/** The way of systems without `/proc/self/fd`: a swap between two looks is not noticed. Exported for its test. */
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

/** Whether both are one file, by device and number. */
export function isSameFile(a: BigIntStats, b: BigIntStats | undefined): boolean {
  return b !== undefined && a.dev === b.dev && a.ino === b.ino;
}

/** The error of a place that is not what was judged any more. */
export function movedError(shown: string): WorkspaceError {
  return new WorkspaceError(
    'workspace/moved',
    `${shown} leads elsewhere than it did when the call was judged; nothing was done. Look with \`ls\` and call again.`,
    { path: shown },
  );
}
