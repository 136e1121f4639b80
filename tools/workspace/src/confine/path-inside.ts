// Relation of a path to a folder. Symlinks in both paths must already be resolved.

import { isAbsolute, relative, sep } from 'node:path';

/**
 * Returns the path relative to the folder. For the folder itself, returns an empty string. If the path is not inside
 * the folder, returns `undefined`.
 */
export function pathInside(folder: string, path: string): string | undefined {
  const from = relative(folder, path);
  return from === '..' || from.startsWith(`..${sep}`) || isAbsolute(from) ? undefined : from;
}
