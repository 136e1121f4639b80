// What of a workspace a sandboxed command may read and not change, because a program outside of the sandbox runs or obeys
// it later: repositories, the settings and instructions of agents, and files that a trusted setting starts.

import { realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { codeOf } from '../confine/file-problem.ts';
import { pathInside } from '../confine/path-inside.ts';
import { startNames, startPaths } from '../confine/start-files.ts';
import { linksAlong } from './links-along.ts';

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
  /** Paths that no command may see, absolute: of these only the links on their way count here. */
  readonly hidden: readonly string[];
}

/** Paths that are protected in a workspace, those nearer to its root first. */
export interface ReadOnlyPaths {
  /** Read-only, with all below. */
  readonly readOnly: readonly string[];
  /** Links on the way to these and to what is hidden. A mount lies on what a link leads to, never on the link. */
  readonly links: readonly string[];
}

/** Names in the workspace. `.agents/skills` may be a link to another folder of it. */
const NAMES = ['.tidemark', '.agents', '.agents/skills', 'AGENTS.md'];
/** Names in the home, where that lies in the workspace, beside the start files. */
const HOME_NAMES = ['.config/tidemark', '.agents'];

/** Real paths of what exists now. A file that does not exist cannot be kept from being made. */
export function readOnlyPaths(options: ReadOnlyOptions): ReadOnlyPaths {
  const { workspace, home, repositories, also, hidden } = options;
  const named = [...NAMES.map((name) => join(workspace, name)), ...HOME_NAMES.map((name) => join(home, name)), ...also];
  const real = named.flatMap((path) => realPathOf(path) ?? []);
  const found = new Set([...real, ...startPaths(options), ...repositories]);
  const readOnly = [...found].filter((path) => isBelow(workspace, path)).toSorted(byDepth);
  const ways = [...named, ...startNames(options), ...hidden];
  const links = [...new Set(ways.flatMap(linksAlong))].filter((path) => isBelow(workspace, path));
  return { readOnly, links };
}

/** The folders between a workspace and paths in it, those nearer to the workspace first. */
export function pinnedFolders(workspace: string, paths: readonly string[]): readonly string[] {
  const inside = paths.filter((path) => isBelow(workspace, path));
  return [...new Set(inside.flatMap((path) => foldersBetween(workspace, path)))].toSorted(byDepth);
}

function isBelow(folder: string, path: string): boolean {
  return (pathInside(folder, path) ?? '') !== '';
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
    if (codeOf(error) === undefined) throw error;
    return undefined;
  }
}
