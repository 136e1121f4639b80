// Hidden paths: lists the paths that a sandboxed command may not see. These are the keys in the home and the session
// logs.

import { realpathSync, statSync } from 'node:fs';
import { codeOf } from '../confine/file-problem.ts';
import type { KeyOptions } from '../confine/key-files.ts';
import { keyPlaces } from '../confine/key-files.ts';

/** One hidden path. An empty folder covers a folder, and an empty file covers a file. */
export interface Hidden {
  readonly path: string;
  readonly as: 'folder' | 'file';
}

/**
 * Folders with sockets of services that run outside the sandbox. Without a cover, a command could connect to these
 * services. `/run` is not listed, because the sandbox covers it as a whole.
 */
const SERVICES = ['/var/run'];

/**
 * Returns the real paths of existing key files, of service sockets, and of the paths in `also`. A link is covered at
 * its target. The key files are those of `keyPlaces`.
 */
export function hiddenPaths(keys: KeyOptions & { readonly home: string }, also: readonly string[]): readonly Hidden[] {
  const paths = [...hiddenNames(keys, also), ...SERVICES];
  const found = new Map(paths.flatMap((path) => coverOf(path)).map((hidden) => [hidden.path, hidden]));
  // If a key place is a link to one of these folders, covering its target would hide everything. Such a place is not
  // covered.
  for (const path of ['/', '/run', realOf(keys.home) ?? keys.home]) found.delete(path);
  return [...found.values()];
}

/** Returns the paths of key files and the paths in `also`, without following links. Some of them may not exist. */
export function hiddenNames(keys: KeyOptions, also: readonly string[]): readonly string[] {
  return [...keyPlaces(keys).map(({ path }) => path), ...also];
}

/**
 * Returns the cover for an existing file or folder. A device, such as `/dev/null` in place of a history file, contains
 * no key and is not covered.
 */
function coverOf(path: string): readonly Hidden[] {
  const real = realOf(path);
  const stats = real === undefined ? undefined : statSync(real, { throwIfNoEntry: false });
  if (real === undefined || stats === undefined) return [];
  if (stats.isDirectory()) return [{ path: real, as: 'folder' }];
  return stats.isFile() || stats.isSocket() ? [{ path: real, as: 'file' }] : [];
}

/** Returns the real path, or `undefined` if it cannot be resolved. */
export function realOf(path: string): string | undefined {
  try {
    return realpathSync.native(path);
  } catch (error) {
    if (codeOf(error) === undefined) throw error;
    return undefined;
  }
}
