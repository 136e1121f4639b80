// What the file system refuses, in words with a next step: the model reads them.

import { WorkspaceError } from '../workspace-error.ts';

/** The code of a system error: `ENOENT`. */
export function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

const SAID: ReadonlyMap<string, string> = new Map(
  Object.entries({
    ENOENT: 'does not exist. Look with `ls` or `find`.',
    ENOTDIR: 'cannot exist: a part of this path is a file, not a folder. Look with `ls`.',
    EISDIR: 'is a folder. Use `ls`.',
    EACCES: 'may not be touched: the file system denies it to this user. Ask the user, or leave it.',
    EPERM: 'may not be touched: the file system denies it to this user. Ask the user, or leave it.',
    EROFS: 'cannot be written: the file system is read-only. Write elsewhere.',
    ENOSPC: 'could not be written: the disk is full. Nothing was changed; free space first.',
    EDQUOT: 'could not be written: the quota is used up. Nothing was changed; free space first.',
    ELOOP: 'cannot be opened: its symlinks lead in a circle, or it became a symlink meanwhile. Look with `ls`.',
    ENAMETOOLONG: 'cannot exist: the name is too long. Use a shorter one.',
    EMFILE: 'could not be opened: too many files are open. Try again with fewer calls at once.',
    ENFILE: 'could not be opened: too many files are open. Try again with fewer calls at once.',
  }),
);

/** The error as a sentence about the path; `undefined` when it is none of the file system's. */
export function fileProblem(shown: string, error: unknown): string | undefined {
  const code = codeOf(error);
  if (code === undefined) return undefined;
  const said = SAID.get(code);
  return said === undefined ? `${shown}: the file system answered ${code}.` : `${shown} ${said}`;
}

/** Runs the work. A refusal of the file system is thrown as a sentence about the path. @throws WorkspaceError `workspace/file-system`. */
export async function inWords<T>(shown: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    const problem = fileProblem(shown, cause);
    if (problem === undefined || cause instanceof WorkspaceError) throw cause;
    throw new WorkspaceError('workspace/file-system', problem, { path: shown }, cause);
  }
}

/** The value, or `undefined` where the file system answers that there is no such file. */
export async function unlessMissing<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}
