// Lists the files of a folder for a person who chooses one of them, such as in a completion.

import { readdir, realpath } from 'node:fs/promises';
import { join, resolve, sep } from 'node:path';

import { pathInside } from '../confine/path-inside.ts';
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
 * `.git` are left out. Links to listed files and to their folders are listed too. ripgrep reads the ignore files, because git itself can start programs that the configuration of
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
  return [...files, ...(await linksTo(files, folder, signal))].slice(0, most);
}

/** Maximum number of folders in which links are looked up. */
const LINK_FOLDERS = 2_000;

/**
 * Returns the links to the files and to their folders. ripgrep does not list links, and would leave the folder if it
 * followed them. A link to a folder ends with `/`. A link to a file that is not in the list is left out.
 */
async function linksTo(files: readonly string[], folder: string, signal: AbortSignal): Promise<readonly string[]> {
  const [root, names] = [await realpath(folder), new Set(files)];
  const folders = new Set(['', ...files.flatMap(foldersOf)]);
  const links: string[] = [];
  for (const inside of [...folders].slice(0, LINK_FOLDERS)) {
    signal.throwIfAborted();
    for (const entry of await readdir(join(root, inside), { withFileTypes: true }).catch(() => [])) {
      if (!entry.isSymbolicLink()) continue;
      const path = join(inside, entry.name);
      const target = await targetOf(join(root, path), root);
      if (target === undefined) continue;
      if (names.has(target)) links.push(path);
      else if (target !== '' && folders.has(target)) links.push(`${path}${sep}`);
    }
  }
  return links;
}

function foldersOf(file: string): readonly string[] {
  const parts = file.split(sep).slice(0, -1);
  return parts.map((_, index) => parts.slice(0, index + 1).join(sep));
}

/** Returns the target of a link, as a path relative to the folder. `undefined` for a target outside, and for none. */
async function targetOf(link: string, root: string): Promise<string | undefined> {
  const target = await realpath(link).catch(() => undefined);
  return target === undefined ? undefined : pathInside(root, target);
}
