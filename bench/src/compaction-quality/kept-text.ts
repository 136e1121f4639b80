// Searches for facts in the text that is left after a compaction. A fact counts only with its line, because bare
// identifiers give a model no information.

import type { Fact, LaterNeeded, Sighting } from './facts.ts';
import { AROUND, comparable } from './facts.ts';
import { identifiersIn } from './identifiers.ts';
import type { Piece } from './pieces.ts';

interface KeptLine {
  readonly words: string;
  readonly paths: ReadonlySet<string>;
  /** Symbols and values in the line. */
  readonly names: ReadonlySet<string>;
}

interface Occurrence {
  readonly line: KeptLine;
  readonly left: string;
  readonly right: string;
}

/** Kept text, indexed by the identifiers in it. */
export type KeptText = ReadonlyMap<string, readonly Occurrence[]>;

/** Indexes the kept text by its identifiers. */
export function readKept(pieces: readonly Piece[]): KeptText {
  const kept = new Map<string, Occurrence[]>();
  for (const { text } of pieces)
    for (const raw of text.split('\n')) {
      const words = comparable(raw);
      const identifiers = identifiersIn(words);
      const of = (path: boolean): ReadonlySet<string> =>
        new Set(identifiers.flatMap((one) => ((one.kind === 'path') === path ? [one.text] : [])));
      const line = { words: words.toLowerCase(), paths: of(true), names: of(false) };
      for (const { text: name, at } of identifiers) {
        const right = words.slice(at + name.length, at + name.length + AROUND);
        const found = { line, left: words.slice(Math.max(0, at - AROUND), at), right };
        kept.set(name, [...(kept.get(name) ?? []), found]);
      }
    }
  return kept;
}

/**
 * Checks if a fact was kept, in one of three ways. First, a kept line has the same text around the fact as an original
 * line that contained more than bare identifiers. Second, the fact was a whole argument, usually a path, and its kept
 * line contains the name of the tool. Third, its kept line has exactly one path, and a symbol or value that occurred
 * with that path in the original history.
 */
export function isKept(fact: Fact, kept: KeptText, places: LaterNeeded['places']): boolean {
  const found = kept.get(fact.text) ?? [];
  return found.some(
    (one) => fact.sightings.some((sighting) => isSameLine(one, sighting)) || isPlaced(fact, one.line, places),
  );
}

/**
 * Checks if reading a file again would find the fact: the fact was in a result of the tool `read`, and the path of its
 * file was kept anywhere.
 */
export function isFoundByReading({ sightings }: Fact, kept: KeptText): boolean {
  return sightings.some(
    ({ from, tool, path }) =>
      from === 'result' && tool?.toLowerCase() === 'read' && path !== undefined && kept.has(path),
  );
}

function isSameLine({ line, left, right }: Occurrence, sighting: Sighting): boolean {
  if (!sighting.bare) return left.endsWith(sighting.left) && right.startsWith(sighting.right);
  const { argument, tool } = sighting;
  if (!argument || tool === undefined || line.paths.size > 1) return false;
  return line.words.split(/[^\p{L}\p{N}_]+/u).includes(tool.toLowerCase());
}

function isPlaced({ text, kind }: Fact, { paths, names }: KeptLine, places: LaterNeeded['places']): boolean {
  const [path, ...more] = paths;
  if (path === undefined || more.length > 0) return false;
  const stoodThere = (name: string): boolean => [...(places.get(name) ?? [])].some((place) => isSameFile(place, path));
  return kind === 'path' ? [...names].some(stoodThere) : stoodThere(text);
}

/**
 * Compares two paths that can be relative to different folders: `theme/theme.ts` is the same file as
 * `src/theme/theme.ts`.
 */
function isSameFile(a: string, b: string): boolean {
  return a === b || a.endsWith(`/${b}`) || b.endsWith(`/${a}`);
}
