// Finds every git repository in a workspace, at any depth. Git runs programs that the settings and hooks of a
// repository name. If a command changed these settings or hooks, the next `git status` outside the sandbox would run a
// program chosen by the command.

import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { codeOf } from '../confine/file-problem.ts';
import { foldersAbove, gitFoldersOf, namedByGit, pointedTo } from '../confine/named-by-git.ts';
import { pathInside } from '../confine/path-inside.ts';
import { resolveLinksNow } from '../confine/resolve-links.ts';
import type { IndexedLook, IndexedEntry } from './folder-index.ts';
import { createFolderIndex } from './folder-index.ts';
import { realOf } from './hidden-paths.ts';

/** Repositories that a workspace has at the time of the search. */
export interface Repositories {
  /**
   * Real paths of the repository stores: `.git` folders and files, the folders they point to, and bare repositories.
   */
  readonly stores: readonly string[];
  /** Paths of `.git` entries that are links. */
  readonly links: readonly string[];
  /**
   * Absolute paths in the workspace that the settings of these repositories refer to, for example with `core.hooksPath`
   * and `include.path`. It is possible that a path does not exist yet.
   */
  readonly named: readonly string[];
  /** Reason in words why a part of the workspace was not searched. */
  readonly limit?: string;
}

/** Finds the repositories of a workspace. After the first call, a call reads only the folders that changed. */
export type RepositoryFinder = () => Promise<Repositories>;

/**
 * If a folder has these entries, git treats it as a repository, even without `.git`. If the folder contains
 * `commondir`, `HEAD` is enough, because `objects` and `refs` are in another folder.
 */
const BARE = ['HEAD', 'objects', 'refs'] as const;
const NAMES: ReadonlySet<string> = new Set(['.git', 'commondir', ...BARE]);
const SKIPPED: ReadonlySet<string> = new Set(['.git']);

/**
 * Maximum number of protected stores. The start time of bubblewrap grows with the square of the number of mounts. With
 * 256 mounts, the start takes about a third of a second.
 */
const MAX_STORES = 256;

/**
 * Maximum number of protected files that settings of repositories refer to. Each file needs a mount. A repository that
 * came with the workspace could refer to any number of files.
 */
const MAX_NAMED = 64;

/**
 * Creates a finder for a workspace.
 *
 * @param workspace Real and absolute path.
 *
 * @param home Home folder for settings that name paths with `~/`.
 */
export function createRepositoryFinder(workspace: string, home?: string): RepositoryFinder {
  const index = createFolderIndex({ root: workspace, names: NAMES, skipped: SKIPPED, closed: isRepository });
  let before: readonly string[] = [];
  return async () => {
    const look = await index.look();
    const found = new Set(storesIn(look, workspace));
    // The stores of earlier searches come first. Therefore they remain protected, even if a command creates many new
    // stores.
    const stores = [...new Set([...before.filter((path) => found.has(path) || mayExist(path)), ...found])];
    before = stores;
    return limitRepositories(stores, namedIn(look, workspace, home), look);
  };
}

function storesIn({ entries }: IndexedLook, workspace: string): readonly string[] {
  const stores = entries.filter(({ name }) => name === '.git').flatMap((entry) => storesOf(entry, workspace));
  return [...stores, ...bareFolders(entries).flatMap((folder) => (folder === workspace ? ownStore(folder) : [folder]))];
}

/**
 * If the workspace itself is a bare repository, returns its protected parts. The rest of the workspace remains
 * writable, because git neither runs it nor reads settings from it.
 */
function ownStore(workspace: string): readonly string[] {
  return OWN_PARTS.map((name) => join(workspace, name)).filter(mayExist);
}

const OWN_PARTS = ['config', 'config.worktree', 'commondir', 'hooks', 'info'];

/**
 * Returns true if the path exists or could exist. A store of an earlier search could now be in a folder without access.
 * It could also be beyond the limits of a later search.
 */
function mayExist(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch (error) {
    if (codeOf(error) === undefined) throw error;
    return codeOf(error) !== 'ENOTDIR';
  }
}

/**
 * Returns the paths in the workspace that the settings of a repository refer to. Reads the repositories in the
 * workspace and the repositories in the folders above it.
 */
function namedIn({ entries }: IndexedLook, workspace: string, home: string | undefined): readonly string[] {
  const inside = [
    ...entries.filter(({ name }) => name === '.git').map(({ folder }) => folder),
    ...bareFolders(entries),
  ];
  const trees = [...new Set([...foldersAbove(workspace), ...inside])];
  const repositories = trees.flatMap((tree) => gitFoldersOf(tree) ?? []);
  const named = repositories.flatMap((each) => namedByGit(each, home));
  return [...new Set(named.map(({ path }) => path))].filter((path) => isReachedIn(workspace, path));
}

function isReachedIn(workspace: string, path: string): boolean {
  return [path, resolveLinksNow(path)].some((each) => insideOf(each, workspace).length > 0);
}

function limitRepositories(
  stores: readonly string[],
  named: readonly string[],
  { entries, limit }: IndexedLook,
): Repositories {
  const links = entries.filter(({ name, kind }) => name === '.git' && kind === 'link').map(pathOf);
  const more = stores.length - MAX_STORES;
  const moreNamed = named.length - MAX_NAMED;
  const limits = [
    ...(limit === undefined ? [] : [limit]),
    ...(more > 0 ? [`${more} repositories exceed the maximum`] : []),
    ...(moreNamed > 0 ? [`${moreNamed} files that repository settings name exceed the maximum`] : []),
  ];
  const most = { stores: stores.slice(0, MAX_STORES), named: named.slice(0, MAX_NAMED) };
  return { ...most, links, ...(limits.length > 0 && { limit: limits.join('; ') }) };
}

function pathOf({ folder, name }: IndexedEntry): string {
  return join(folder, name);
}

/**
 * Returns the paths to protect for a `.git` entry: the entry itself, and the folders of the workspace that it points
 * to. If the entry is a link, returns only its target.
 */
function storesOf(entry: IndexedEntry, workspace: string): readonly string[] {
  const path = pathOf(entry);
  if (entry.kind === 'link') return insideOf(realOf(path), workspace);
  if (entry.kind !== 'file') return [path];
  const target = pointedTo(path, /^gitdir: (.*)$/m);
  if (target === undefined) return [path];
  const common = pointedTo(join(target, 'commondir'), /^(.*)$/m);
  return [path, ...insideOf(realOf(target), workspace), ...insideOf(common && realOf(common), workspace)];
}

/**
 * Returns the path if it is below the workspace. For the workspace itself, returns an empty list. Its protection would
 * make the whole workspace read-only.
 */
function insideOf(path: string | undefined, workspace: string): readonly string[] {
  return path === undefined || (pathInside(workspace, path) ?? '') === '' ? [] : [path];
}

function bareFolders(entries: readonly IndexedEntry[]): readonly string[] {
  const names = new Map<string, Set<string>>();
  for (const { folder, name } of entries) names.set(folder, (names.get(folder) ?? new Set()).add(name));
  return [...names].filter(([, found]) => isRepository(found)).map(([folder]) => folder);
}

function isRepository(names: ReadonlySet<string>): boolean {
  return BARE.every((name) => names.has(name)) || (names.has('HEAD') && names.has('commondir'));
}
