// Finds fullwidth letters and digits in a line of ASCII, where they look like ASCII letters. In East Asian text they
// are ordinary characters.

const WIDE_RUN = /[\u{ff10}-\u{ff19}\u{ff21}-\u{ff3a}\u{ff41}-\u{ff5a}]+/gu;
const EAST_ASIAN =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Bopomofo}\u{3001}\u{3002}]/u;

/**
 * Returns the UTF-16 offsets of the fullwidth letters and digits to mark. They are marked if the line has ASCII letters
 * or digits. If the line also has East Asian letters, they are marked only between ASCII characters.
 */
export function wideLetters(line: string): readonly number[] {
  if (line.search(WIDE_RUN) === -1 || !/[a-z0-9]/i.test(line)) return [];
  const isEastAsian = EAST_ASIAN.test(line);
  const found: number[] = [];
  for (const { 0: run, index } of line.matchAll(WIDE_RUN))
    if (!isEastAsian || isAmongAscii(line, index, index + run.length))
      for (let at = index; at < index + run.length; at += 1) found.push(at);
  return found;
}

/**
 * Returns true if the nearest characters on both sides are ASCII. Blanks are skipped. At the end of a line, the
 * character before must be a letter or a digit.
 */
function isAmongAscii(line: string, start: number, end: number): boolean {
  let [before, after] = [start - 1, end];
  while (isBlank(line[before])) before -= 1;
  while (isBlank(line[after])) after += 1;
  if (line[after] === undefined) return /^[a-z0-9]$/i.test(line[before] ?? '');
  return [line[before], line[after]].every((char) => char !== undefined && /^[\x21-\x7e]$/.test(char));
}

function isBlank(char: string | undefined): boolean {
  return char !== undefined && /^\s$/u.test(char);
}
