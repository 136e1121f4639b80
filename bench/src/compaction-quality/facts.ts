// Facts that are needed later: identifiers that were seen before a cut and that the model passes to a tool after it.

import type { Identifier } from './identifiers.ts';
import { identifiersIn, isBare } from './identifiers.ts';
import type { Piece } from './pieces.ts';

/** One occurrence of an identifier before the cut. */
export interface Sighting {
  /** Text before and after the identifier in its line, with single spaces, at most `AROUND` characters on each side. */
  readonly left: string;
  readonly right: string;
  /** True if `left`, the identifier and `right` contain only identifiers. */
  readonly bare: boolean;
  /** True if the line with the identifier is the whole text of an argument. */
  readonly argument: boolean;
  readonly from: Piece['from'];
  readonly tool?: string;
  /** File named by the call in whose input or result the identifier occurred. Absent if the call names no file. */
  readonly path?: string;
}

/** A fact that is needed after the cut. */
export interface Fact extends Pick<Identifier, 'text' | 'kind'> {
  /** Place where the fact was first seen: in prose or an input (`said`), or in a result. */
  readonly origin: 'said' | 'result';
  readonly sightings: readonly Sighting[];
}

/** Facts in a history before a cut that are needed after it. */
export interface LaterNeeded {
  readonly facts: readonly Fact[];
  /** Paths that occurred with each identifier of the history: in its line, or as the file of its call. */
  readonly places: ReadonlyMap<string, ReadonlySet<string>>;
  /**
   * Number of facts that occurred only in lines of bare identifiers, such as a list of files. Such lines give no
   * information about a fact, so these facts are not in `facts`.
   */
  readonly bare: number;
}

/** Number of characters that are compared on each side of a fact. */
export const AROUND = 40;

/**
 * Returns a line in the form that is compared: without the line number that a reading tool adds, and with single
 * spaces.
 */
export function comparable(line: string): string {
  return line
    .replace(/^\s*\d+(→|\t)/, '')
    .replaceAll(/\s+/g, ' ')
    .trim();
}

/** Finds the facts of a cut. `before` and `after` are the two sides of the cut. */
export function laterNeeded(before: readonly Piece[], after: readonly Piece[]): LaterNeeded {
  const seen = new Map<string, { fact: Fact; sightings: Sighting[] }>();
  const places = new Map<string, Set<string>>();
  for (const piece of before)
    for (const sighted of sightedIn(piece)) {
      const { identifier, paths } = sighted;
      const { text, kind } = identifier;
      const known = seen.get(text) ?? begin(text, kind, piece);
      known.sightings.push(sightingOf(piece, sighted));
      seen.set(text, known);
      places.set(text, new Set([...(places.get(text) ?? []), ...paths.filter((path) => path !== text)]));
    }
  const needed = new Set(after.filter(({ from }) => from === 'input').flatMap(namesOf));
  const found = [...seen.values()].map(({ fact }) => fact).filter(({ text }) => needed.has(text));
  const facts = found.filter(({ sightings }) => sightings.some(({ bare, argument }) => !bare || argument));
  return { facts, places, bare: found.length - facts.length };
}

function begin(text: string, kind: Fact['kind'], { from }: Piece): { fact: Fact; sightings: Sighting[] } {
  const sightings: Sighting[] = [];
  return { fact: { text, kind, origin: from === 'result' ? 'result' : 'said', sightings }, sightings };
}

interface Sighted {
  readonly identifier: Identifier;
  readonly line: string;
  readonly argument: boolean;
  readonly paths: readonly string[];
}

/** Returns the identifiers of a piece with their lines. The name of an argument is not part of its line. */
function sightedIn(piece: Piece): readonly Sighted[] {
  const lines = piece.text.split('\n');
  const begins = lines.map((raw) => isLabelled(piece, raw));
  return lines.flatMap((raw, index) => {
    const labelled = begins[index] === true;
    const argument = labelled && begins[index + 1] !== false;
    const line = comparable(labelled ? raw.slice(raw.indexOf(': ') + 2) : raw);
    const identifiers = identifiersIn(line);
    const own = identifiers.flatMap(({ kind, text }) => (kind === 'path' ? [text] : []));
    const paths = piece.path === undefined ? own : [...own, piece.path];
    return identifiers.map((identifier) => ({ identifier, line, argument, paths }));
  });
}

function isLabelled({ from, tool }: Piece, line: string): boolean {
  return from === 'input' && tool !== undefined && line.startsWith(`${tool} `) && line.includes(': ');
}

function sightingOf({ from, tool, path }: Piece, { identifier, line, argument }: Sighted): Sighting {
  const { text, at } = identifier;
  const left = line.slice(Math.max(0, at - AROUND), at);
  const right = line.slice(at + text.length, at + text.length + AROUND);
  return {
    left,
    right,
    bare: isBare(`${left}${text}${right}`),
    argument,
    from,
    ...(tool === undefined ? {} : { tool }),
    ...(path === undefined ? {} : { path }),
  };
}

function namesOf(piece: Piece): readonly string[] {
  return sightedIn(piece).map(({ identifier }) => identifier.text);
}
