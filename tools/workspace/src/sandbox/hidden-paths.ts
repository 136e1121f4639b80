// Hidden paths: lists the paths that a sandboxed command must not see. These are the keys in the home, the session
// logs, and folders with sockets of services.

import { realpathSync, statSync } from 'node:fs';
import { codeOf } from '../confine/file-problem.ts';
import type { KeyOptions } from '../confine/key-files.ts';
import { keyPlaces } from '../confine/key-files.ts';

/** One hidden path. `as` selects what the sandbox mounts over the path: an empty folder or an empty file. */
export interface Hidden {
  readonly path: string;
  readonly as: 'folder' | 'file';
}

/**
 * Folders with sockets of services that run outside the sandbox. If a command could see these folders, it could connect
 * to the services. `/run` is not in the list, because the sandbox always covers it.
 */
const SERVICES = ['/var/run'];

/**
 * Returns the real paths of existing key files, of service sockets, and of the paths in `also`. For a link, this is the
 * path of its target. `keyPlaces` lists the key files.
 */
export function hiddenPaths(keys: KeyOptions & { readonly home: string }, also: readonly string[]): readonly Hidden[] {
  const paths = [...hiddenNames(keys, also), ...SERVICES];
  const found = new Map(paths.flatMap((path) => coverOf(path)).map((hidden) => [hidden.path, hidden]));
  // A key path can be a link to one of these folders. If the target were hidden, everything would be hidden. Therefore
  // these folders are never hidden.
  for (const path of ['/', '/run', realOf(keys.home) ?? keys.home]) found.delete(path);
  return [...found.values()];
}

/**
 * Returns the paths of key files and the paths in `also`, without following links. It is possible that a path does not
 * exist.
 */
export function hiddenNames(keys: KeyOptions, also: readonly string[]): readonly string[] {
  return [...keyPlaces(keys).map(({ path }) => path), ...also];
}

/**
 * Returns the real path of a file, folder or socket, and how to hide it. For a missing path and for a device, returns
 * an empty list. A device contains no key. For example, `/dev/null` may be in place of a history file.
 */
function coverOf(path: string): readonly Hidden[] {
  const real = realOf(path);
  const stats = real === undefined ? undefined : statSync(real, { throwIfNoEntry: false });
  if (real === undefined || stats === undefined) return [];
  if (stats.isDirectory()) return [{ path: real, as: 'folder' }];
  return stats.isFile() || stats.isSocket() ? [{ path: real, as: 'file' }] : [];
}

/** Returns the real path. If the path cannot be resolved, returns `undefined`. */
export function realOf(path: string): string | undefined {
  try {
    return realpathSync.native(path);
  } catch (error) {
    if (codeOf(error) === undefined) throw error;
    return undefined;
  }
}
