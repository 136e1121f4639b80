// What of a workspace a sandboxed command may read and not change, because a program outside of the sandbox runs or obeys
// it later: repositories, the settings and instructions of agents, and files that a trusted setting starts.

import { lstatSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { codeOf } from '../confine/file-problem.ts';
import { pathInside } from '../confine/path-inside.ts';
import { startPaths } from '../confine/start-files.ts';

/** A workspace and what is known of it. */
export interface ReadOnlyOptions {
  /** Real and absolute. */
  readonly workspace: string;
  readonly home: string;
  /** Variables that name start files and folders of programs, such as `PATH`. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Stores of repositories, as `createRepositoryFinder` gives them. */
  readonly repositories: readonly string[];
  /** More paths, absolute: links are followed, and what does not exist or lies outside is left out. */
  readonly also: readonly string[];
}

/** Paths for the mounts of a sandbox, those nearer to the root first. */
export interface ReadOnlyPaths {
  /** Read-only, with all below. */
  readonly readOnly: readonly string[];
  /** Folders between the workspace and all of these: each is a mount too, so that none can be moved away with what it holds. */
  readonly pinned: readonly string[];
  /** Links among the names. A mount lies on what a link leads to, never on the link. */
  readonly links: readonly string[];
}

/** Names in the workspace. `.agents/skills` may be a link to another folder of it. */
const NAMES = ['.tidemark', '.agents', '.agents/skills', 'AGENTS.md'];
/** Names in the home, where that lies in the workspace, beside the start files. */
const HOME_NAMES = ['.config/tidemark', '.agents'];

/** Real paths of what exists now. A file that does not exist cannot be kept from being made. */
export function readOnlyPaths(options: ReadOnlyOptions): ReadOnlyPaths {
  const { workspace, home, repositories, also } = options;
  const named = [...NAMES.map((name) => join(workspace, name)), ...HOME_NAMES.map((name) => join(home, name)), ...also];
  const real = named.flatMap((path) => realPathOf(path) ?? []);
  const found = new Set([...real, ...startPaths(options), ...repositories]);
  const readOnly = [...found].filter((path) => isBelow(workspace, path)).toSorted(byDepth);
  const links = [...new Set(named)].filter((path) => isBelow(workspace, path) && isPlainLink(path));
  const pinned = new Set([...readOnly, ...links].flatMap((path) => foldersBetween(workspace, path)));
  return { readOnly, pinned: [...pinned].toSorted(byDepth), links };
}

function isBelow(folder: string, path: string): boolean {
  return (pathInside(folder, path) ?? '') !== '';
}

/** A link in a folder that is reached through no other link. */
function isPlainLink(path: string): boolean {
  try {
    return lstatSync(path).isSymbolicLink() && realpathSync.native(dirname(path)) === dirname(path);
  } catch (error) {
    if (codeOf(error) === undefined) throw error;
    return false;
  }
}

function foldersBetween(workspace: string, path: string): readonly string[] {
  const folder = dirname(path);
  return folder === workspace ? [] : [...foldersBetween(workspace, folder), folder];
}

function byDepth(a: string, b: string): number {
  return a.split('/').length - b.split('/').length || (a < b ? -1 : 1);
}

function realPathOf(path: string): string | undefined {
  try {
    return realpathSync.native(path);
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'ELOOP', 'EACCES'].includes(codeOf(error) ?? '')) return undefined;
    throw error;
  }
}
