// What a command may see and not change, since something outside of the sandbox runs or heeds it later: the repository's
// store, with its hooks, its settings and where it points, and what tells an agent how to work here.

import { lstatSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { codeOf } from '../confine/file-problem.ts';
import { pathInside } from '../confine/path-inside.ts';

/** Who the sandbox is for. */
export interface Keeper {
  /** Symlinks followed. */
  readonly workspace: string;
  readonly home: string;
  /** Whether `.git` may be changed too: then what is put there runs outside the sandbox, with all that the user can do. */
  readonly repository: 'read-only' | 'writable';
}

/** Of the workspace. `.git` whole: `.git/commondir`, once it is there, names other hooks and settings. */
const NAMES = ['.git', '.tidemark', '.agents', '.agents/skills', 'AGENTS.md'];
/** Of the home, where that is in the workspace. */
const HOME_NAMES = ['.gitconfig', '.config/git', '.config/tidemark', '.agents'];

/**
 * Real paths, of what there is. What is not there yet cannot be kept: a new repository is its maker's, and a workspace that
 * brings other settings or skills is not trusted any more.
 */
export function keptPaths({ workspace, home, repository }: Keeper): readonly string[] {
  const names = NAMES.filter((name) => name !== '.git' || repository === 'read-only');
  const paths = [...names.map((name) => join(workspace, name)), ...HOME_NAMES.map((name) => join(home, name))];
  const found = paths.flatMap((path) => realOf(path) ?? []);
  return [...new Set(found)].filter((path) => path !== workspace && pathInside(workspace, path) !== undefined);
}

function realOf(path: string): string | undefined {
  if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return undefined;
  try {
    return realpathSync.native(path);
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'ELOOP', 'EACCES'].includes(codeOf(error) ?? '')) return undefined;
    throw error;
  }
}
