// Where a path stands in a folder: of both it is the caller's to have followed the symlinks.

import { isAbsolute, relative, sep } from 'node:path';

/** The path from the folder on, empty for the folder itself; `undefined` when it does not lie inside it. */
export function pathInside(folder: string, path: string): string | undefined {
  const from = relative(folder, path);
  return from === '..' || from.startsWith(`..${sep}`) || isAbsolute(from) ? undefined : from;
}
