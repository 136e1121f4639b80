// Finds combining marks that hide a letter, or make it look like another letter. Accents of written languages are not
// found.

/**
 * Matches two Cyrillic number marks, strokes over a letter, rings and boxes around it, half marks, and marks of
 * phonetic notation.
 */
const COVERING =
  /\u{488}|\u{489}|[\u{334}-\u{338}\u{1ab0}-\u{1aff}\u{1dc0}-\u{1dff}\u{20d0}-\u{20f0}\u{fe20}-\u{fe2f}]/u;

/** Matches accents that some languages put on letters for which Unicode has no precomposed character. */
const ACCENT = /[\u{300}-\u{304}\u{306}\u{308}-\u{30c}]/u;

/** Maximum number of combining marks on one Latin letter. The next constant is the maximum for any other letter. */
const MAX_ON_LATIN = 2;
const MAX_ON_OTHERS = 4;

const MARK = /^\p{M}$/u;

/** Returns the indexes of the combining marks in a line that must be shown as code points. */
export function twinMarks(chars: readonly string[]): readonly number[] {
  const found: number[] = [];
  let letter = '';
  let count = 0;
  for (const [at, char] of chars.entries()) {
    if (!MARK.test(char)) {
      [letter, count] = [char, 0];
      continue;
    }
    if (isTwin(char, letter, count)) found.push(at);
    count += 1;
    if (count < MAX_ON_LATIN) letter += char;
  }
  return found;
}

/**
 * Returns true if the combining mark must be shown as a code point. `letter` contains the letter and its first mark.
 * `count` is the number of marks on the letter before this mark.
 */
function isTwin(mark: string, letter: string, count: number): boolean {
  const [base = ''] = letter;
  if (base === '' || COVERING.test(mark) || /^[^\p{L}\P{ASCII}]$/u.test(base) || /^\s$/u.test(base)) return true;
  if (!/\p{Script=Latin}/u.test(base)) return count >= MAX_ON_OTHERS;
  if (count >= MAX_ON_LATIN || !/\p{Script=Inherited}/u.test(mark)) return true;
  return !ACCENT.test(mark) && !isComposed(letter, mark);
}

function isComposed(letter: string, mark: string): boolean {
  const before = Array.from(letter.normalize('NFC')).length;
  return Array.from((letter + mark).normalize('NFC')).length <= before;
}
