// Follows a path link by link and returns every link on the way. If one of these links changes, another program is at
// the end of the path.

import type { Stats } from 'node:fs';
import { lstatSync, readlinkSync } from 'node:fs';
import { dirname, join, parse, resolve, sep } from 'node:path';

import { codeOf } from './plain-files.ts';

/** Result of following a path. */
export interface FollowedPath {
  /** All links on the way. Each is absolute, and the path to its folder contains no link. */
  readonly links: readonly string[];
  /**
   * Type of the file at the end of the path. `other`: neither a file nor a folder, such as a pipe. `none`: there is no
   * file, or the path has too many links. `hidden`: the system denies access.
   */
  readonly state: 'file' | 'folder' | 'other' | 'none' | 'hidden';
  /** Absolute path of the end, without links. */
  readonly end: string;
}

/** Cache of the state of each path. Many paths begin with the same folders. */
export type KnownStates = Map<string, Stats | 'none' | 'hidden'>;

/** Maximum number of links. If a path has more links, they are treated as a cycle. */
const MAX_LINKS = 40;

/**
 * Follows an absolute path. If `..` comes after a link, it means the parent of the link's target, as in the operating
 * system.
 */
export function followPath(path: string, known: KnownStates): FollowedPath {
  const links: string[] = [];
  const left = partsOf(path);
  let at = parse(path).root;
  for (let name = left.shift(); name !== undefined; name = left.shift()) {
    if (name === '..') {
      at = dirname(at);
      continue;
    }
    const next = join(at, name);
    const state = stateOf(next, known);
    if (state === 'none' || state === 'hidden') return { links, state, end: resolve(next, ...left) };
    if (!state.isSymbolicLink()) {
      if (left.length > 0 && !state.isDirectory()) return { links, state: 'none', end: resolve(next, ...left) };
      at = next;
      continue;
    }
    links.push(next);
    if (links.length > MAX_LINKS) return { links, state: 'none', end: next };
    const target = readlinkSync(next);
    left.unshift(...partsOf(target));
    if (parse(target).root !== '') at = parse(target).root;
  }
  const state = stateOf(at, known);
  return { links, state: typeof state === 'string' ? state : kindOf(state), end: at };
}

function partsOf(path: string): string[] {
  return path
    .slice(parse(path).root.length)
    .split(sep === '/' ? '/' : /[/\\]/)
    .filter((part) => part !== '' && part !== '.');
}

function kindOf(stats: Stats): FollowedPath['state'] {
  if (stats.isFile()) return 'file';
  return stats.isDirectory() ? 'folder' : 'other';
}

function stateOf(path: string, known: KnownStates): Stats | 'none' | 'hidden' {
  const before = known.get(path);
  if (before !== undefined) return before;
  const state = lookAt(path);
  known.set(path, state);
  return state;
}

function lookAt(path: string): Stats | 'none' | 'hidden' {
  try {
    return lstatSync(path);
  } catch (error) {
    return codeOf(error) === 'EACCES' || codeOf(error) === 'EPERM' ? 'hidden' : 'none';
  }
}
