// Tells a file from another one that takes its place.

import { createHash } from 'node:crypto';
import type { BigIntStats } from 'node:fs';
import { readlinkSync } from 'node:fs';
import { beginningOf } from '../confine/beginning-of.ts';
import { codeOf } from '../confine/file-problem.ts';
import type { LookAt } from './folder-index.ts';
import { lookAtFile } from './folder-index.ts';

/**
 * Returns a text that differs for two files which had the path one after the other. The number of a removed file is used
 * again at once by some file systems, so the target of a link and the content of a file are part of it. Empty where
 * nothing is, or where the file system does not let this process look.
 */
export function identityOf(path: string, lookAt: LookAt = lookAtFile): string {
  try {
    const stats = lookAt(path);
    return stats === undefined ? '' : `${stats.dev}:${stats.ino}:${contentOf(path, stats)}`;
  } catch (error) {
    if (codeOf(error) === undefined) throw error;
    return '';
  }
}

function contentOf(path: string, stats: BigIntStats): string {
  if (stats.isSymbolicLink()) return readlinkSync(path);
  if (!stats.isFile()) return '';
  return createHash('sha256')
    .update(beginningOf(path) ?? '')
    .digest('hex');
}
