// Later-needed facts: identifiers that were seen before a cut and that the model gives to a tool after it.

import type { Identifier } from './identifiers.ts';
import { identifiersIn, isBare } from './identifiers.ts';
import type { Piece } from './pieces.ts';

/** One place before the cut where an identifier stands. */
export interface Sighting {
  /** The words around it in its line, single spaces between them, at most `AROUND` characters each. */
  readonly left: string;
  readonly right: string;
  /** What is compared holds nothing but identifiers. */
  readonly bare: boolean;
  /** The whole text of an argument is this line. */
  readonly argument: boolean;
  readonly from: Piece['from'];
  readonly tool?: string;
  /** The file that the call of this place names. */
  readonly path?: string;
}

/** A fact that is needed after the cut. */
export interface Fact extends Pick<Identifier, 'text' | 'kind'> {
  /** Where it was first seen: in prose or an input (`said`), or in a result. */
  readonly origin: 'said' | 'result';
  readonly sightings: readonly Sighting[];
}

/** What a history before a cut holds of what is needed after it. */
export interface LaterNeeded {
  readonly facts: readonly Fact[];
  /** The paths that each identifier of the history stood with: in its line, or as the file of its call. */
  readonly places: ReadonlyMap<string, ReadonlySet<string>>;
  /** Facts that stood in bare lines alone, such as a list of files. They have no line of their own and are not counted. */
  readonly bare: number;
}

/** Characters of a line that are compared on each side of a fact. */
export const AROUND = 40;

/** Returns a line as it is compared: without the line number that a reading tool adds, and with single spaces. */
export function comparable(line: string): string {
  return line
    .replace(/^\s*\d+(→|\t)/, '')
    .replaceAll(/\s+/g, ' ')
    .trim();
}

/** Finds the facts of a cut. `before` and `after` are the two sides of it. */
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

/** Returns the identifiers of a piece with their lines. The name of an argument is no part of its line. */
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

/** Tells whether an argument begins here. */
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
