// File identity: detects that a file was replaced by another file at the same path.

import { createHash } from 'node:crypto';
import type { BigIntStats } from 'node:fs';
import { readlinkSync } from 'node:fs';
import { beginningOf } from '../confine/beginning-of.ts';
import { codeOf } from '../confine/file-problem.ts';
import type { LookAt } from './folder-index.ts';
import { lookAtFile } from './folder-index.ts';

/**
 * Returns a text that changes if another file replaces the file at this path. Some file systems use the inode number of
 * a removed file again immediately. Therefore the text also depends on the target of a link, and on the first 8 KiB of
 * a file. If the path does not exist or if this process has no access to it, returns an empty text.
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
