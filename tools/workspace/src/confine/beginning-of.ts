// The beginning of a small file that a program of git reads, without following a link or waiting for a pipe.

import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { codeOf } from './file-problem.ts';

/** A `.git` file and `commondir` hold one line. */
const MOST_BYTES = 8_192;

/** Returns at most `most` bytes as text, 8,192 by default; `undefined` for what cannot be read or is no file. */
export function beginningOf(path: string, most: number = MOST_BYTES): string | undefined {
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
