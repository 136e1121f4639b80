// Lists the names in a folder. Also lists the names in its subfolders, up to a given depth. Names are sorted by code
// units. Therefore equal folders produce equal bytes on every machine. Symlinks are shown with their target and never
// followed.

import type { Dirent } from 'node:fs';
import { readdir, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { Confinement } from '../confine/confine.ts';
import { codeOf, inWords } from '../confine/file-problem.ts';
import type { HeldFolder } from '../confine/held-folder.ts';
import { showName } from '../confine/show-name.ts';

/**
 * Folders that are listed without their content, because their content would fill the list. Their content can be listed
 * by their own path.
 */
const CLOSED: ReadonlySet<string> = new Set(['node_modules']);

export interface ListBounds {
  /** Number of folder levels to list. 1 lists only the folder itself. */
  readonly depth: number;
  readonly mostEntries: number;
  readonly signal: AbortSignal;
}

/** A listing with one entry per line: `src/`, `src/tax.js`, `latest -> v2`. */
export interface FolderListing {
  readonly lines: readonly string[];
  /** True if there are more than `mostEntries` entries. */
  readonly more: boolean;
}

/** A folder to list, which the caller has opened and will close. */
export interface ListedFolder {
  readonly held: HeldFolder;
  /** Real path of the folder, as in `WorkspacePlace`. */
  readonly path: string;
  readonly shown: string;
}

/**
 * Lists a folder. If a subfolder cannot be read or has become a link, its entry has an error text.
 *
 * @throws WorkspaceError `workspace/file-system` when the folder itself cannot be read.
 */
export async function listFolder(
  top: ListedFolder,
  confinement: Confinement,
  bounds: ListBounds,
): Promise<FolderListing> {
  const lines: string[] = [];
  const more = await list(top, '', 1);
  return { lines, more };

  async function list({ held, path, shown: called }: ListedFolder, prefix: string, level: number): Promise<boolean> {
    bounds.signal.throwIfAborted();
    for (const entry of await entriesOf(held, called)) {
      if (lines.length === bounds.mostEntries) return true;
      const below = join(path, entry.name);
      const shown = prefix + showName(entry.name);
      lines.push(shown + (await markOf(entry, held.at(entry.name))));
      if (!entry.isDirectory() || level === bounds.depth || CLOSED.has(entry.name)) continue;
      if (confinement.refusal(below) !== undefined) continue;
      if (await listBelow(held, entry.name, { path: below, shown }, level + 1)) return true;
    }
    return false;
  }

  async function listBelow(
    parent: HeldFolder,
    name: string,
    { path, shown }: Omit<ListedFolder, 'held'>,
    level: number,
  ): Promise<boolean> {
    try {
      await using held = await parent.enter(name, shown);
      return await list({ held, path, shown }, `${shown}/`, level);
    } catch (error) {
      bounds.signal.throwIfAborted();
      lines.push(`${shown}/ (${error instanceof Error ? error.message : 'cannot be listed'})`);
      return false;
    }
  }
}

async function entriesOf(folder: HeldFolder, shown: string): Promise<readonly Dirent[]> {
  const entries = await inWords(shown, () => readdir(folder.at('.'), { withFileTypes: true }));
  return entries.toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

async function markOf(entry: Dirent, path: string): Promise<string> {
  if (entry.isDirectory()) return '/';
  if (entry.isSymbolicLink()) return ` -> ${await leadsTo(path)}`;
  return entry.isFile() ? '' : ' (special file)';
}

async function leadsTo(path: string): Promise<string> {
  try {
    return showName(await readlink(path));
  } catch (error) {
    // The link was removed or replaced after the folder was read.
    if (codeOf(error) === undefined) throw error;
    return '?';
  }
}
