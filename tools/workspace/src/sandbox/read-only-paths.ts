// Read-only paths: lists the paths of a workspace that a sandboxed command may read but must not change. Programs
// outside the sandbox later run these files or follow their instructions. The paths are repositories, settings and
// instructions of agents, and files that a trusted setting starts.

import { realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { codeOf } from '../confine/file-problem.ts';
import { pathInside } from '../confine/path-inside.ts';
import { startNames, startPaths } from '../confine/start-files.ts';
import { linksAlong } from './links-along.ts';

/** Options of `readOnlyPaths`. */
export interface ReadOnlyOptions {
  /** Real and absolute path of the workspace. */
  readonly workspace: string;
  readonly home: string;
  /** Environment variables. Some of them contain paths of start files and program folders, such as `PATH`. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Stores of repositories, in the form that `createRepositoryFinder` returns. */
  readonly repositories: readonly string[];
  /**
   * More absolute paths to protect. Links are followed. If a path does not exist or is outside the workspace, it is
   * ignored.
   */
  readonly also: readonly string[];
  /** Absolute paths that commands must not see. `readOnlyPaths` uses them only to find the links that lead to them. */
  readonly hidden: readonly string[];
}

/** Protected paths of a workspace. In `readOnly`, paths nearer to the root come first. */
export interface ReadOnlyPaths {
  /** Paths to mount read-only, each with everything below it. */
  readonly readOnly: readonly string[];
  /**
   * Links that lead to the read-only paths and to the hidden paths. They need separate protection, because a mount
   * covers the target of a link and never the link itself.
   */
  readonly links: readonly string[];
}

/** Protected names in the workspace. The folders in `.agents` may be links to other folders of the workspace. */
const NAMES = ['.tidemark', '.agents', '.agents/skills', '.agents/agents', 'AGENTS.md', 'CLAUDE.md'];
/**
 * Protected names in the home. They matter only if the home is in the workspace. `startPaths` returns the start files
 * of the home.
 */
const HOME_NAMES = ['.config/tidemark', '.agents'];

/**
 * Returns the real paths that currently exist. A missing path cannot be mounted, so a command in the sandbox can create
 * it.
 */
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

/** Returns the folders between the workspace and the given paths, nearest to the workspace first. */
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
