// Files that come with the command, from wherever its code stands: in `src`, or joined as a release has it.

import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The absolute path of a file of this package, by its path in there. */
export function ownFile(path: string): string {
  let folder = import.meta.dirname;
  while (!existsSync(join(folder, 'package.json'))) folder = dirname(folder);
  return join(folder, path);
}
