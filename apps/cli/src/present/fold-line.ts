// A line in pieces that fit a terminal, so that rows can be counted and none is broken by the terminal itself.

const TAB = 8;
/** Signs that frame the text of others. */
const FRAME = /[│┆]/;

/** Returns the pieces of a line, each of at most so many columns; one empty piece for an empty line. */
export function foldLine(line: string, width: number): readonly string[] {
  const pieces: string[] = [];
  let [piece, used] = ['', 0];
  for (const character of line) {
    const columns = columnsOf(character);
    if (used + columns > width) {
      pieces.push(piece);
      [piece, used] = ['', 0];
    }
    piece += character;
    used += columns;
  }
  return [...pieces, piece];
}

/** At least as many as a terminal takes: too many are safe, too few would push rows off the screen. */
function columnsOf(character: string): number {
  if (character === '\t') return TAB;
  return (character.codePointAt(0) ?? 0) < 0x1100 || FRAME.test(character) ? 1 : 2;
}
