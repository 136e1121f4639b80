// Lists the files of a folder for a person who chooses one of them, such as in a completion.

import { resolve } from 'node:path';

import { runRipgrep } from './run-ripgrep.ts';
import { FILES_SEARCHED } from './search-place.ts';

const PATIENCE_MS = 15_000;

/** Limits of a list of files. */
export interface FileListOptions {
  readonly signal: AbortSignal;
  /** Maximum number of files. */
  readonly most: number;
}

/**
 * Lists the files of a folder, as paths relative to it, in no particular order. Files in `.gitignore` and the content of
 * `.git` are left out. ripgrep reads the ignore files, because git itself can start programs that the configuration of
 * the folder names. If the time limit ends the search, returns the files that were found until then.
 *
 * @throws WorkspaceError `workspace/no-ripgrep` when ripgrep cannot start, and `workspace/not-a-file` when an ignore file
 * is a pipe or a device. Throws the reason of the signal when it aborts.
 */
export async function workspaceFiles(folder: string, { signal, most }: FileListOptions): Promise<readonly string[]> {
  const files: string[] = [];
  await runRipgrep({
    args: ['--files', '--null', ...FILES_SEARCHED],
    folder,
    root: resolve(folder),
    delimiter: 0,
    signal,
    patienceMs: PATIENCE_MS,
    each: (record) => {
      if (record !== undefined) files.push(record);
      return files.length < most;
    },
  });
  return files;
}
