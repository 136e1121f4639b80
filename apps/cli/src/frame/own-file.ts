// Files that come with the command, from wherever its code stands: in `src`, or joined as a release has it.

import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The absolute path of a file of this package, by its path in there. @throws Error where the code was taken out of it. */
export function ownFile(path: string): string {
  for (let folder = import.meta.dirname; ; folder = dirname(folder)) {
    if (existsSync(join(folder, 'package.json'))) return join(folder, path);
    if (folder === dirname(folder))
      throw new Error(
        `no package stands around ${import.meta.dirname}, so there is no ${path}: install tidemark whole`,
      );
  }
}
