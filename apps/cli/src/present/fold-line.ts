// Splits a line into pieces that fit into the terminal. The terminal then does not wrap any line itself, so rows can be
// counted.

const TAB = 8;
/** Matches the characters of Tidemark's own frames, which are one column wide. */
const FRAME = /[│┆]/;

/** Returns the pieces of a line, each at most `width` columns wide. An empty line gives one empty piece. */
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

/**
 * Returns an upper bound of the columns that a terminal needs for a character. A larger number is safe, but a smaller
 * number than needed would push rows off the screen.
 */
function columnsOf(character: string): number {
  if (character === '\t') return TAB;
  return (character.codePointAt(0) ?? 0) < 0x1100 || FRAME.test(character) ? 1 : 2;
}
