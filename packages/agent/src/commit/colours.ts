// Finds shapes in text that a terminal colours: a colour code may stand between a name and its value, or in a value.

import type { SecretShape } from './shape.ts';

/** A colour code: raw, drawn, or escaped in a string. */
const COLOUR = /(?:[\u001B\u241B]|\\{1,15}(?:u001[bB]|u\{1[bB]\}|x1[bB]|033|e))\[[\d;:]{0,32}[mK]/g;

/** A cheap hint of a colour code. */
const HINT = /(?:[\u001B\u241B]|1[bB]\}?|033|\\e)\[/;

/** The shapes that `find` finds in the text without its colours, at their places in the text. Those that span more than `longest` characters with their colours are left out. Empty for a text without colours. */
export function findBetweenColours(
  text: string,
  find: (plain: string) => readonly SecretShape[],
  longest: number,
): readonly SecretShape[] {
  if (!HINT.test(text)) return [];
  const pieces = piecesOf(text);
  if (pieces.length === 0 || pieces[0]?.piece.length === text.length) return [];
  const placeOf = placesIn(pieces);
  return find(pieces.map(({ piece }) => piece).join(''))
    .map(({ name, from, start, end }) => ({
      name,
      from: placeOf(from),
      start: placeOf(start),
      end: placeOf(end - 1) + 1,
    }))
    .filter(({ from, end }) => end - from <= longest);
}

/** A piece of a text between two colours. */
interface ColourPiece {
  readonly piece: string;
  /** Its offset in the text, and in the text without colours. */
  readonly at: number;
  readonly plainAt: number;
}

function piecesOf(text: string): readonly ColourPiece[] {
  const pieces: ColourPiece[] = [];
  let at = 0;
  let plainAt = 0;
  const add = (end: number): void => {
    if (end > at) pieces.push({ piece: text.slice(at, end), at, plainAt });
    plainAt += end - at;
  };
  for (const { 0: colour, index } of text.matchAll(COLOUR)) {
    add(index);
    at = index + colour.length;
  }
  add(text.length);
  return pieces;
}

/** Translates an offset in the text without colours. The search halves the pieces: there may be many. */
function placesIn(pieces: readonly ColourPiece[]): (plain: number) => number {
  return (plain) => {
    let low = 0;
    let high = pieces.length - 1;
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if ((pieces[middle]?.plainAt ?? 0) <= plain) low = middle;
      else high = middle - 1;
    }
    const { at = 0, plainAt = 0 } = pieces[low] ?? {};
    return at + plain - plainAt;
  };
}
