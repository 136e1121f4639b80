// Patterns of paths and hosts, and the matching of stars in names.

import type { PathEffect } from './ruled-call.ts';

const IGNORED = /\p{Default_Ignorable_Code_Point}/gu;

/** Without letter case, ways of composing, look-alike forms of compatibility, and characters that nobody sees. */
export function foldName(name: string): string {
  // Through upper case: some letters, as the long s, only meet their twins there.
  return name.normalize('NFKC').replace(IGNORED, '').toUpperCase().toLowerCase().normalize('NFKC');
}

/** Whether all of the text fits. Linear but for the last star: what earlier ones took is never too little. */
export function matchStars(pattern: string, text: string, one?: '?'): boolean {
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
  return /^\**$/.test(pattern.slice(at));
}

/** A pattern that was read. */
export interface HostPattern {
  readonly name: string;
  /** Whether it is about the hosts below that name. */
  readonly below: boolean;
}

const HOST = /^(\*\.)?([a-z0-9]([a-z0-9-]*[a-z0-9])?\.)*[a-z0-9]([a-z0-9-]*[a-z0-9])?$|^\[[0-9a-f:.]+\]$/;

/** Reads a pattern; what is wrong with it, with the next step. */
export function readHostPattern(text: string): HostPattern | string {
  if (!HOST.test(text))
    return `"${text}" is no host: give its name alone in lower case, without scheme, port or path, with "*." before it for those below`;
  const below = text.startsWith('*.');
  return { name: below ? text.slice(2) : text, below };
}

/** Whether the pattern names this host, by the letter. */
export function isHost({ name, below }: HostPattern, host: string): boolean {
  return below ? host.endsWith(`.${name}`) : host === name;
}

/** Whether the pattern could name this host: those below a name are forbidden with it. */
export function couldBeHost({ name }: HostPattern, host: string): boolean {
  const plain = foldName(host).replace(/\.+$/, '');
  return plain === name || plain.endsWith(`.${name}`);
}

/**
 * The pattern of a path, from the workspace on, as a list of names; `**` stands for any number of them. A rule that allows
 * takes it by the letter. A rule that forbids takes it in any spelling, with all that lies below.
 */
export type PathPattern = readonly string[];

/** Reads a pattern; what is wrong with it, with the next step. Without a slash it is about the last name, in any folder. */
export function readPathPattern(text: string): PathPattern | string {
  if (text === '') return 'a path is empty: name a file, a folder, or ** for all';
  if (/[{}[\]!\\\p{Cc}]/u.test(text))
    return `"${text}" holds more than names, *, ** and ?: give one pattern for each way it could read`;
  if (text.startsWith('/') || text.startsWith('~')) return `"${text}" is not in the workspace: give it from there on`;
  const names = (text.endsWith('/') ? `${text}**` : text).split('/');
  if (names.some((name) => name === '' || name === '.' || name === '..'))
    return `"${text}" goes round: leave out ".", ".." and empty names`;
  return names.length === 1 ? ['**', ...names] : names;
}

/** Whether the pattern names this very path. One outside the workspace, and a whole folder by the name of a part, is none. */
export function isPath(pattern: PathPattern, { path, below = false }: PathEffect): boolean {
  if (path.startsWith('/')) return false;
  const reached = walk(pattern, namesIn(path)).at(-1) ?? new Set();
  return below ? pattern.at(-1) === '**' && reached.has(pattern.length - 1) : reached.has(pattern.length);
}

/** Whether the pattern could name this path, a folder above it, or what is touched below it. */
export function couldBePath(pattern: PathPattern, { path, below = false }: PathEffect): boolean {
  const steps = walk(pattern.map(foldName), namesIn(path).map(foldName));
  if (steps.some((reached) => reached.has(pattern.length))) return true;
  return below && (steps.at(-1)?.size ?? 0) > 0;
}

function namesIn(path: string): readonly string[] {
  return path === '' ? [] : path.split('/');
}

/** How far in the pattern each name may have come, before the first and behind each one. */
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

/** `**` stands for no name too. */
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
