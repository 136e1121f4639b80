// Opens the very file that was judged. Between judging and opening somebody may put a symlink in its place, so the last
// name is never followed, and where the path leads is looked at once more behind the open file.

import type { BigIntStats } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { constants, lstat, open } from 'node:fs/promises';
import { WorkspaceError } from '../workspace-error.ts';
import type { Place } from './confine.ts';
import { codeOf, fileProblem } from './file-problem.ts';
import { resolveLinks } from './resolve-links.ts';

/** An open file and what it was at that moment. */
export interface OpenFile extends AsyncDisposable {
  readonly handle: FileHandle;
  readonly stats: BigIntStats;
}

/**
 * To be closed by the caller. Never waits: a pipe or a device is refused.
 * @throws WorkspaceError `workspace/file-system`, `workspace/not-a-file`, `workspace/moved`.
 */
export async function openFile(place: Place): Promise<OpenFile> {
  const handle = await inWords(place.shown, () =>
    open(place.path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK),
  );
  try {
    const stats = await handle.stat({ bigint: true });
    if (!stats.isFile()) throw notAFile(place, stats);
    await assertUnmoved(place);
    if (!isSameFile(stats, await statsAt(place))) throw moved(place);
    return { handle, stats, [Symbol.asyncDispose]: () => handle.close() };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** @throws WorkspaceError `workspace/moved` when the path, judged real before, leads elsewhere now. */
export async function assertUnmoved(place: Place): Promise<void> {
  const now = await inWords(place.shown, () => resolveLinks(place.path));
  if (now !== place.path) throw moved(place);
}

/** What stands at the place, a symlink as itself; `undefined` when nothing does. @throws WorkspaceError `workspace/file-system`. */
export async function statsAt({ path, shown }: Place): Promise<BigIntStats | undefined> {
  return inWords(shown, async () => {
    try {
      return await lstat(path, { bigint: true });
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return undefined;
      throw error;
    }
  });
}

/** Whether both are one file, by device and number. */
export function isSameFile(a: BigIntStats, b: BigIntStats | undefined): boolean {
  return b !== undefined && a.dev === b.dev && a.ino === b.ino;
}

/** The error of a place that is no regular file. */
export function notAFile({ shown }: Place, stats: { isDirectory(): boolean }): WorkspaceError {
  const next = stats.isDirectory()
    ? 'is a folder. Use `ls`.'
    : 'is a pipe, a socket or a device, no file. Leave it, or use `bash`.';
  return new WorkspaceError('workspace/not-a-file', `${shown} ${next}`, { path: shown });
}

/** Does it; what the file system refuses is thrown as a sentence about the file. */
export async function inWords<T>(shown: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    const problem = fileProblem(shown, cause);
    if (problem === undefined || cause instanceof WorkspaceError) throw cause;
    throw new WorkspaceError('workspace/file-system', problem, { path: shown }, cause);
  }
}

function moved({ shown }: Place): WorkspaceError {
  return new WorkspaceError(
    'workspace/moved',
    `${shown} leads elsewhere than it did when the call was judged; nothing was done. Look with \`ls\` and call again.`,
    { path: shown },
  );
}
