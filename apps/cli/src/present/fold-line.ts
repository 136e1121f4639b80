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
 * Returns the pieces of a line of words. A piece ends after a space if there is one. No character is left out, so the
 * pieces together are the line.
 */
export function foldWords(line: string, width: number): readonly string[] {
  const pieces: string[] = [];
  let rest = line;
  for (;;) {
    const [piece = '', next = ''] = foldLine(rest, width);
    // A space at the edge stays in the row, because it needs no column that is seen.
    const full = next.startsWith(' ') ? `${piece} ` : piece;
    const space = next === '' || next.startsWith(' ') ? -1 : full.lastIndexOf(' ');
    // A terminal that is narrower than a character cannot break between words.
    if (full === '') return [...pieces, ...foldLine(rest, width)];
    const cut = space > 0 && full.slice(0, space).trim() !== '' ? full.slice(0, space + 1) : full;
    pieces.push(cut);
    rest = rest.slice(cut.length);
    if (rest === '') return pieces;
  }
}

/**
 * Returns an upper bound of the columns that a terminal needs for a character. A larger number is safe, but a smaller
 * number than needed would push rows off the screen.
 */
function columnsOf(character: string): number {
  if (character === '\t') return TAB;
  return (character.codePointAt(0) ?? 0) < 0x1100 || FRAME.test(character) ? 1 : 2;
}
