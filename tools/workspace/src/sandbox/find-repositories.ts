// Every git repository below a workspace, at any depth: git runs programs that the settings and hooks of a repository
// name, so the next `git status` outside of the sandbox would run what a command wrote there.

import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { codeOf } from '../confine/file-problem.ts';
import { foldersAbove, gitFoldersOf, namedByGit, pointedTo } from '../confine/named-by-git.ts';
import { pathInside } from '../confine/path-inside.ts';
import { resolveLinksNow } from '../confine/resolve-links.ts';
import type { IndexedLook, IndexedEntry } from './folder-index.ts';
import { createFolderIndex } from './folder-index.ts';
import { realOf } from './hidden-paths.ts';

/** The repositories of a workspace at one moment. */
export interface Repositories {
  /** Real paths of their stores: `.git` folders and files, what those point to, and bare repositories. */
  readonly stores: readonly string[];
  /** Paths of `.git` that are links. */
  readonly links: readonly string[];
  /** Absolute paths in the workspace that the settings of these repositories name, there or not: `core.hooksPath`, `include.path`. */
  readonly named: readonly string[];
  /** Why something was not searched, in words. */
  readonly limit?: string;
}

/** Finds the repositories; a later call reads only what changed. */
export type RepositoryFinder = () => Promise<Repositories>;

/** Git takes a folder with these for a repository without a `.git`; with `commondir` the other two lie elsewhere. */
const BARE = ['HEAD', 'objects', 'refs'] as const;
const NAMES: ReadonlySet<string> = new Set(['.git', 'commondir', ...BARE]);
const SKIPPED: ReadonlySet<string> = new Set(['.git']);

/** Bubblewrap takes time that grows with the square of the mounts: a third of a second for so many. */
const MOST_STORES = 256;

/** Files that settings name are mounts too, and a repository that came with the workspace may name any number of them. */
const MOST_NAMED = 64;

/** A finder for a workspace. @param workspace Real and absolute. @param home For settings that name paths with `~/`. */
export function createRepositoryFinder(workspace: string, home?: string): RepositoryFinder {
  const index = createFolderIndex({ root: workspace, names: NAMES, skipped: SKIPPED, closed: isRepository });
  let before: readonly string[] = [];
  return async () => {
    const look = await index.look();
    const found = new Set(storesIn(look, workspace));
    // Those that were there first stay protected, however many a command makes.
    const stores = [...new Set([...before.filter((path) => found.has(path) || mayExist(path)), ...found])];
    before = stores;
    return limitRepositories(stores, namedIn(look, workspace, home), look);
  };
}

function storesIn({ entries }: IndexedLook, workspace: string): readonly string[] {
  const stores = entries.filter(({ name }) => name === '.git').flatMap((entry) => storesOf(entry, workspace));
  return [...stores, ...bareFolders(entries).flatMap((folder) => (folder === workspace ? ownStore(folder) : [folder]))];
}

/** The workspace is a bare repository itself: it stays writable but for what git runs or takes settings from. */
function ownStore(workspace: string): readonly string[] {
  return OWN_PARTS.map((name) => join(workspace, name)).filter(mayExist);
}

const OWN_PARTS = ['config', 'config.worktree', 'commondir', 'hooks', 'info'];

/** A repository in a folder that was closed, or beyond the bounds of a later look, is still there. */
function mayExist(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch (error) {
    if (codeOf(error) === undefined) throw error;
    return codeOf(error) !== 'ENOTDIR';
  }
}

/** Of the repositories in the workspace, and of one that holds it. */
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

/** A link outside of the workspace may lead into it. */
function isReachedIn(workspace: string, path: string): boolean {
  return [path, resolveLinksNow(path)].some((each) => insideOf(each, workspace).length > 0);
}

function limitRepositories(
  stores: readonly string[],
  named: readonly string[],
  { entries, limit }: IndexedLook,
): Repositories {
  const links = entries.filter(({ name, kind }) => name === '.git' && kind === 'link').map(pathOf);
  const more = stores.length - MOST_STORES;
  const moreNamed = named.length - MOST_NAMED;
  const limits = [
    ...(limit === undefined ? [] : [limit]),
    ...(more > 0 ? [`${more} repositories are too many`] : []),
    ...(moreNamed > 0 ? [`${moreNamed} files that settings of repositories name are too many`] : []),
  ];
  const most = { stores: stores.slice(0, MOST_STORES), named: named.slice(0, MOST_NAMED) };
  return { ...most, links, ...(limits.length > 0 && { limit: limits.join('; ') }) };
}

function pathOf({ folder, name }: IndexedEntry): string {
  return join(folder, name);
}

/** What stands there, and what of the workspace it leads to. */
function storesOf(entry: IndexedEntry, workspace: string): readonly string[] {
  const path = pathOf(entry);
  if (entry.kind === 'link') return insideOf(realOf(path), workspace);
  if (entry.kind !== 'file') return [path];
  const target = pointedTo(path, /^gitdir: (.*)$/m);
  if (target === undefined) return [path];
  const common = pointedTo(join(target, 'commondir'), /^(.*)$/m);
  return [path, ...insideOf(realOf(target), workspace), ...insideOf(common && realOf(common), workspace)];
}

/** Not the workspace itself: it would be read-only as a whole. */
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
