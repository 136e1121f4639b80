// A path with every symlink in it followed, also where its end does not exist yet, and also through links that dangle:
// those would else pass for names inside the workspace.

import { readlinkSync, realpathSync } from 'node:fs';
import { readlink, realpath } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { codeOf } from './file-problem.ts';

/** As many as Linux follows. */
const MOST_LINKS = 40;

/**
 * The real path. What does not exist is kept by name behind the real path of its longest existing ancestor.
 * @throws the file system's own error: `ELOOP`, `ENOTDIR` (a file stands where a folder is meant), `EACCES`.
 */
export async function resolveLinks(path: string, links = 0): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
  }
  if (links > MOST_LINKS) throw Object.assign(new Error(`too many links: ${path}`), { code: 'ELOOP' });
  const parent = dirname(path);
  if (parent === path) return path;
  const folder = await resolveLinks(parent, links);
  const target = await danglingTarget(path);
  return target === undefined ? join(folder, basename(path)) : resolveLinks(resolve(folder, target), links + 1);
}

async function danglingTarget(path: string): Promise<string | undefined> {
  try {
    return await readlink(path);
  } catch (error) {
    if (codeOf(error) === 'ENOENT' || codeOf(error) === 'EINVAL') return undefined;
    throw error;
  }
}

/** As `resolveLinks`, at once. A path that the file system refuses to follow is given as it is. */
export function resolveLinksNow(path: string, links = 0): string {
  try {
    return realpathSync.native(path);
  } catch (error) {
    const parent = dirname(path);
    if (codeOf(error) !== 'ENOENT' || parent === path || links > MOST_LINKS) return path;
    const folder = resolveLinksNow(parent, links);
    const target = danglingTargetNow(path);
    return target === undefined ? join(folder, basename(path)) : resolveLinksNow(resolve(folder, target), links + 1);
  }
}

function danglingTargetNow(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}
