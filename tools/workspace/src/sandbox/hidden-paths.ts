// What a sandboxed command may not see: keys in the home, and the log of the sessions.

import { realpathSync, statSync } from 'node:fs';
import { codeOf } from '../confine/file-problem.ts';
import type { KeyOptions } from '../confine/key-files.ts';
import { keyPlaces } from '../confine/key-files.ts';

/** One path that is covered: a folder by an empty one, a file by nothing. */
export interface Hidden {
  readonly path: string;
  readonly as: 'folder' | 'file';
}

/** Where services listen that would work outside of the sandbox for a command, beside `/run`, which is covered whole. */
const SERVICES = ['/var/run'];

/**
 * Returns the real paths of what exists of key files, sockets of services, and the paths in `also`: a link is covered where it
 * leads. Key files are those of `keyPlaces`.
 */
export function hiddenPaths(keys: KeyOptions & { readonly home: string }, also: readonly string[]): readonly Hidden[] {
  const paths = [...hiddenNames(keys, also), ...SERVICES];
  const found = new Map(paths.flatMap((path) => coverOf(path)).map((hidden) => [hidden.path, hidden]));
  // A link to one of these would take away everything.
  for (const path of ['/', '/run', realOf(keys.home) ?? keys.home]) found.delete(path);
  return [...found.values()];
}

/** The names of key files, and the paths in `also`: links are not followed, and not all of them are there. */
export function hiddenNames(keys: KeyOptions, also: readonly string[]): readonly string[] {
  return [...keyPlaces(keys).map(({ path }) => path), ...also];
}

/** A device, such as `/dev/null` in the place of a history, holds no key. */
function coverOf(path: string): readonly Hidden[] {
  const real = realOf(path);
  const stats = real === undefined ? undefined : statSync(real, { throwIfNoEntry: false });
  if (real === undefined || stats === undefined) return [];
  if (stats.isDirectory()) return [{ path: real, as: 'folder' }];
  return stats.isFile() || stats.isSocket() ? [{ path: real, as: 'file' }] : [];
}

/** Returns the real path; `undefined` where the file system has none. */
export function realOf(path: string): string | undefined {
  try {
    return realpathSync.native(path);
  } catch (error) {
    if (codeOf(error) === undefined) throw error;
    return undefined;
  }
}
