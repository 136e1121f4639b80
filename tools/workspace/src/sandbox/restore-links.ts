// Restores protected links in a workspace. A mount cannot cover a link. If a command replaced a link, the link is
// restored when the command has ended. Its replacement gets another name and is not deleted.

import { lstatSync, readlinkSync, renameSync, symlinkSync } from 'node:fs';
import { codeOf } from '../confine/file-problem.ts';

/** A link, and the target that it had before a command. */
export interface RememberedLink {
  readonly path: string;
  readonly target: string;
}

/** Result of restoring one link. */
export interface RestoredLink {
  readonly path: string;
  /** New path of the file or folder that replaced the link. Absent if there was no replacement. */
  readonly moved?: string;
  /** Error code if the link could not be restored. */
  readonly problem?: string;
}

/** Returns the links with their current targets. Paths that are not links are omitted. */
export function rememberLinks(paths: readonly string[]): readonly RememberedLink[] {
  return paths.flatMap((path) => {
    const target = targetOf(path);
    return target === undefined ? [] : [{ path, target }];
  });
}

/**
 * Restores every link that has changed. The folders of the links must be protected, so that no command can replace
 * these folders.
 */
export function restoreLinks(links: readonly RememberedLink[]): readonly RestoredLink[] {
  return links.filter(({ path, target }) => targetOf(path) !== target).map(restoreLink);
}

function restoreLink(link: RememberedLink): RestoredLink {
  try {
    return putBack(link);
  } catch (error) {
    const problem = codeOf(error);
    if (problem === undefined) throw error;
    return { path: link.path, problem };
  }
}

function putBack({ path, target }: RememberedLink): RestoredLink {
  if (lstatSync(path, { throwIfNoEntry: false }) === undefined) {
    symlinkSync(target, path);
    return { path };
  }
  const moved = freeName(path);
  renameSync(path, moved);
  symlinkSync(target, path);
  return { path, moved };
}

function freeName(path: string): string {
  for (let number = 1; ; number += 1) {
    const name = `${path}.replaced-${number}`;
    if (lstatSync(name, { throwIfNoEntry: false }) === undefined) return name;
  }
}

function targetOf(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch (error) {
    if (['ENOENT', 'EINVAL', 'ENOTDIR'].includes(codeOf(error) ?? '')) return undefined;
    throw error;
  }
}
