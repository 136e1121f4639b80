// Finds files that are shipped with the command. The code may be in `src` or in a release bundle.

import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * Returns the absolute path of a file of this package, given its path in the package.
 *
 * @throws Error when no folder above the code contains a `package.json`.
 */
export function ownFile(path: string): string {
  for (let folder = import.meta.dirname; ; folder = dirname(folder)) {
    if (existsSync(join(folder, 'package.json'))) return join(folder, path);
    if (folder === dirname(folder))
      throw new Error(
        `no folder above ${import.meta.dirname} contains a package.json, so ${path} cannot be found: install tidemark again`,
      );
  }
}
