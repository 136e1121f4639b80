// Translates file system errors into sentences for the model. Each sentence contains a next step.

import { WorkspaceError } from '../workspace-error.ts';

/** Returns the code of a system error, such as `ENOENT`. */
export function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

const SENTENCES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    ENOENT: 'does not exist. List files with `ls` or `find`.',
    ENOTDIR: 'cannot exist: a part of this path is a file, not a folder. Check the path with `ls`.',
    EISDIR: 'is a folder, not a file. List it with `ls`.',
    EACCES: 'cannot be accessed: the file system denies access to this user. Ask the user, or continue without it.',
    EPERM: 'cannot be accessed: the file system denies access to this user. Ask the user, or continue without it.',
    EROFS: 'cannot be written: the file system is read-only. Write to another place.',
    ENOSPC: 'could not be written: the disk is full. Nothing was changed. Free space, then call again.',
    EDQUOT: 'could not be written: the disk quota is used up. Nothing was changed. Free space, then call again.',
    ELOOP: 'cannot be opened: its symlinks form a loop, or it became a symlink during the call. Check it with `ls`.',
    ENAMETOOLONG: 'cannot exist: the name is too long. Use a shorter name.',
    EMFILE: 'could not be opened: too many files are open. Call again with fewer calls at the same time.',
    ENFILE: 'could not be opened: too many files are open. Call again with fewer calls at the same time.',
  }),
);

/**
 * Returns the error as a sentence about the path. If the error does not come from the file system, returns `undefined`.
 */
export function fileProblem(shown: string, error: unknown): string | undefined {
  const code = codeOf(error);
  if (code === undefined) return undefined;
  const sentence = SENTENCES.get(code);
  return sentence === undefined ? `${shown}: the file system returned the error ${code}.` : `${shown} ${sentence}`;
}

/**
 * Runs the work and converts a file system error into a sentence about the path.
 *
 * @throws WorkspaceError `workspace/file-system` when the file system refuses the work.
 */
export async function inWords<T>(shown: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    const problem = fileProblem(shown, cause);
    if (problem === undefined || cause instanceof WorkspaceError) throw cause;
    throw new WorkspaceError('workspace/file-system', problem, { path: shown }, cause);
  }
}

/** Returns the value of the promise. If the file system reports that the file does not exist, returns `undefined`. */
export async function unlessMissing<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}
