// Resolves every symlink in a path, even if the end of the path does not exist yet. If the target of a link is missing,
// the link is followed too. Otherwise a link to a missing file outside the workspace would look like a name inside the
// workspace.

import { readlinkSync, realpathSync } from 'node:fs';
import { readlink, realpath } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { codeOf } from './file-problem.ts';

/** Maximum number of links to follow. Linux has the same limit. */
const MAX_LINKS = 40;

/**
 * Returns the real path. The names of missing parts are appended unchanged to the real path of the nearest existing
 * folder.
 *
 * @throws the system error: `ELOOP`, `ENOTDIR` (a part of the path is a file instead of a folder), `EACCES`.
 */
export async function resolveLinks(path: string, links = 0): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
  }
  if (links > MAX_LINKS) throw Object.assign(new Error(`too many links: ${path}`), { code: 'ELOOP' });
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

/** Synchronous version of `resolveLinks`. If the file system refuses to follow the path, returns it unchanged. */
export function resolveLinksNow(path: string, links = 0): string {
  try {
    return realpathSync.native(path);
  } catch (error) {
    const parent = dirname(path);
    if (codeOf(error) !== 'ENOENT' || parent === path || links > MAX_LINKS) return path;
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
