// Links that are protected in a workspace. A mount cannot lie on a link, so a link that a command replaced is put back when
// the command has ended, and what stood in its place is kept under another name.

import { lstatSync, readlinkSync, renameSync, symlinkSync } from 'node:fs';
import { codeOf } from '../confine/file-problem.ts';

/** A link as it was before a command. */
export interface RememberedLink {
  readonly path: string;
  readonly target: string;
}

/** A link that was put back. */
export interface RestoredLink {
  readonly path: string;
  /** Where what the command left in its place is now; absent where it left nothing. */
  readonly moved?: string;
  /** Why it could not be put back. */
  readonly problem?: string;
}

/** The links as they are now. A path that is no link is left out. */
export function rememberLinks(paths: readonly string[]): readonly RememberedLink[] {
  return paths.flatMap((path) => {
    const target = targetOf(path);
    return target === undefined ? [] : [{ path, target }];
  });
}

/** Puts back every link that is not as it was. Their folders must be such that no command can replace them. */
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
