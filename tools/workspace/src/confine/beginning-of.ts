// Reads the beginning of a small file that git also reads. Does not follow a symlink and does not wait for a pipe.

import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { codeOf } from './file-problem.ts';

/** Default size limit, in bytes. A `.git` file and a `commondir` file contain only one line. */
const MAX_BYTES = 8_192;

/**
 * Returns at most `most` bytes of a file as text. The default is 8,192. If the path cannot be read or is not a regular
 * file, returns `undefined`.
 */
export function beginningOf(path: string, most: number = MAX_BYTES): string | undefined {
  let file: number | undefined;
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const stats = fstatSync(file);
    if (!stats.isFile()) return undefined;
    const bytes = Buffer.alloc(Math.min(most, stats.size));
    return bytes.toString('utf8', 0, readSync(file, bytes, 0, bytes.length, 0));
  } catch (error) {
    if (codeOf(error) === undefined) throw error;
    return undefined;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}
