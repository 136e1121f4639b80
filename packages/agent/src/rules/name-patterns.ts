// Patterns of paths and hosts, and the matching of `*` in names.

import { expandBraces } from './expand-braces.ts';
import type { PathEffect } from './ruled-call.ts';

const IGNORED = /\p{Default_Ignorable_Code_Point}/gu;

/**
 * Normalizes a name for comparison: removes differences in letter case, in Unicode composition and between
 * compatibility forms, and removes invisible characters.
 */
export function foldName(name: string): string {
  // Conversion to upper case comes first. Some letters, such as the long s, get their common form only in upper case.
  return name.normalize('NFKC').replace(IGNORED, '').toUpperCase().toLowerCase().normalize('NFKC');
}

/**
 * Returns true if the pattern matches the whole text. If `one` is passed, each `?` in the pattern matches one
 * character. After a mismatch only the last `*` is extended, because a longer match of an earlier `*` never helps. The
 * time is therefore at most proportional to the product of both lengths.
 */
export function matchStars(pattern: string, text: string, one?: '?'): boolean {
  return matchCharacters(Array.from(pattern), Array.from(text), one);
}

function matchCharacters(pattern: readonly string[], text: readonly string[], one: '?' | undefined): boolean {
  let [at, here] = [0, 0];
  let star: { readonly at: number; here: number } | undefined;
  while (here < text.length) {
    const wanted = pattern[at];
    if (wanted === '*') {
      star = { at, here };
      at += 1;
    } else if (wanted !== undefined && (wanted === text[here] || wanted === one)) {
      at += 1;
      here += 1;
    } else if (star !== undefined) {
      star.here += 1;
      here = star.here;
      at = star.at + 1;
    } else return false;
  }
  return pattern.slice(at).every((wanted) => wanted === '*');
}

export interface HostPattern {
  readonly name: string;
  /** True for a pattern such as `*.example.com`. It matches the subdomains of the name but not the name itself. */
  readonly below: boolean;
}

const HOST = /^(\*\.)?([a-z0-9]([a-z0-9-]*[a-z0-9])?\.)*[a-z0-9]([a-z0-9-]*[a-z0-9])?$|^\[[0-9a-f:.]+\]$/;

/** Parses a host pattern. If the pattern is invalid, returns the problem and the next action as a string. */
export function readHostPattern(text: string): HostPattern | string {
  if (!HOST.test(text))
    return `"${text}" is not a host: use only the host name in lower case, without scheme, port or path; put "*." before it to match its subdomains`;
  const below = text.startsWith('*.');
  return { name: below ? text.slice(2) : text, below };
}

/** Returns true if the pattern literally matches this host. */
export function isHost({ name, below }: HostPattern, host: string): boolean {
  return below ? host.endsWith(`.${name}`) : host === name;
}

/**
 * Returns true if the pattern could match this host. Subdomains are included even if the pattern names only the domain.
 */
export function couldBeHost({ name }: HostPattern, host: string): boolean {
  const plain = foldName(host).replace(/\.+$/, '');
  return plain === name || plain.endsWith(`.${name}`);
}

/**
 * Pattern of a path relative to the workspace, as a list of names. `**` matches any number of names. A rule that allows
 * matches literally. A rule that denies or asks matches any spelling, and everything below the path.
 */
export type PathPattern = readonly string[];

/**
 * Parses a path pattern. Braces can turn it into several patterns. If the pattern is invalid, returns the problem and
 * the next action as a string. A pattern without a slash matches the last name of a path in any folder.
 */
export function readPathPatterns(text: string): readonly PathPattern[] | string {
  const expanded = expandBraces(text);
  if (expanded === undefined)
    return `"${text}" has braces that are not balanced, contain a range, or give more than 64 patterns: write a simpler pattern`;
  const read = expanded.map(readPathPattern);
  return read.find((one) => typeof one === 'string') ?? read.filter((one) => typeof one !== 'string');
}

function readPathPattern(text: string): PathPattern | string {
  if (text === '') return 'a path is empty: use a file, a folder, or ** for all files';
  if (/[[\]!\\\p{Cc}]/u.test(text))
    return `"${text}" contains more than names, *, **, ? and {a,b}: write a separate pattern for each alternative`;
  if (text.startsWith('/') || text.startsWith('~'))
    return `"${text}" is not in the workspace: use a path relative to the workspace`;
  const names = (text.endsWith('/') ? `${text}**` : text).split('/');
  if (names.some((name) => name === '' || name === '.' || name === '..'))
    return `"${text}" is not a direct path: remove ".", ".." and empty names`;
  return names.length === 1 ? ['**', ...names] : names;
}

/**
 * Returns true if the pattern literally matches this path. A path outside the workspace never matches. If the call
 * touches a whole folder, the pattern must cover everything in the folder.
 */
export function isPath(pattern: PathPattern, { path, below = false }: PathEffect): boolean {
  if (path.startsWith('/')) return false;
  const steps = walk(pattern, namesIn(path));
  const reached = steps.at(-1) ?? new Set();
  if (below) return pattern.at(-1) === '**' && reached.has(pattern.length - 1);
  // A last `**` matches the files below a folder. It does not match a file with the name of the folder.
  const last = pattern.at(-1) === '**' ? steps.at(-2) : undefined;
  return reached.has(pattern.length) && (last === undefined || last.has(pattern.length - 1));
}

/**
 * Returns true if the pattern could match this path, a folder above it, or something below it that the call touches.
 */
export function couldBePath(pattern: PathPattern, { path, below = false }: PathEffect): boolean {
  const steps = walk(pattern.map(foldName), namesIn(path).map(foldName));
  if (steps.some((reached) => reached.has(pattern.length))) return true;
  return below && (steps.at(-1)?.size ?? 0) > 0;
}

function namesIn(path: string): readonly string[] {
  return path === '' ? [] : path.split('/');
}

/**
 * Matches the names one after the other. Returns one set of reachable pattern indexes for the start, followed by one
 * set for each name.
 */
function walk(pattern: PathPattern, names: readonly string[]): readonly ReadonlySet<number>[] {
  let reached = reachableFrom(pattern, [0]);
  const steps = [reached];
  for (const name of names) {
    reached = reachableFrom(
      pattern,
      [...reached].flatMap((at) => stepOver(pattern[at], at, name)),
    );
    steps.push(reached);
  }
  return steps;
}

function stepOver(wanted: string | undefined, at: number, name: string): readonly number[] {
  if (wanted === undefined) return [];
  if (wanted === '**') return [at];
  return matchStars(wanted, name, '?') ? [at + 1] : [];
}

/** Returns the given indexes. For each `**`, also returns the index after it, because `**` can match no name. */
function reachableFrom(pattern: PathPattern, from: readonly number[]): ReadonlySet<number> {
  const reached = new Set<number>();
  for (let at of from) {
    reached.add(at);
    while (pattern[at] === '**') {
      at += 1;
      reached.add(at);
    }
  }
  return reached;
}
