// Finds signs that look like ASCII signs: dashes, pipes, slashes, quotes, and the wide signs of East Asian text. The
// result depends on the characters next to the sign, because the same sign is ordinary punctuation in other text.

/** Matches signs that no language needs in text: look-alikes of / \ . : ; ! * and |, and small forms of ASCII signs. */
const ALWAYS =
  /[\u{1c0}\u{1c3}\u{37e}\u{2024}\u{2044}\u{204e}\u{2215}-\u{2217}\u{2223}\u{2236}\u{27cb}\u{27cd}\u{29f5}\u{29f8}\u{29f9}\u{a789}\u{fe50}-\u{fe6b}]/u;

/**
 * Matches hyphens, minus signs and other signs that look like an ASCII sign when they are directly next to ASCII
 * characters.
 */
const TOUCHING =
  /[\u{b4}\u{2b9}\u{2ba}\u{2c2}\u{2c3}\u{2c6}\u{2c8}\u{2ca}\u{2cb}\u{2d0}\u{2d7}\u{2dc}\u{384}\u{55a}\u{5f3}\u{5f4}\u{66a}\u{66d}\u{6d4}\u{1433}\u{1438}\u{1fef}\u{1ffd}\u{2010}-\u{2012}\u{2017}\u{2027}\u{2035}\u{2043}\u{2212}\u{223c}\u{2768}\u{2769}\u{2796}\u{2e40}\u{a78a}\u{fe30}-\u{fe32}\u{ff0d}]/u;

/** Matches long dashes. Between blanks or between two digits they are punctuation. */
const LONG_DASH = /[\u{2013}-\u{2015}\u{2e3a}\u{2e3b}]/u;

/** Matches signs for minutes and seconds, which look like quotes. */
const PRIME = /[\u{2032}\u{2033}\u{2036}\u{2037}]/u;

/** Matches wide signs, and East Asian letters that look like signs. In East Asian text they are ordinary characters. */
const WIDE =
  /[\u{ff01}-\u{ff0f}\u{ff1a}-\u{ff20}\u{ff3b}-\u{ff40}\u{ff5b}-\u{ff65}\u{3008}\u{3009}\u{301c}\u{3033}\u{30ce}\u{30fc}\u{3161}\u{4e00}\u{4e28}\u{4e36}\u{4e3f}]/u;

/** Matches upright strokes that look like a pipe, and slanted strokes that look like a slash. */
const UPRIGHT =
  /[\u{2016}\u{2571}\u{2572}\u{258e}\u{258f}\u{2595}\u{ffe8}\u{2502}\u{2503}\u{2506}\u{2507}\u{250a}\u{250b}\u{2551}\u{23ae}\u{23d0}\u{2758}-\u{275a}]/u;
/** Matches the Armenian and Hebrew full stops, which look like a colon. */
const FULL_STOP = /[\u{589}\u{5c3}]/u;
const OF_FULL_STOPS = /[\p{Script=Armenian}\p{Script=Hebrew}]/u;

/**
 * Middle dot. It is punctuation between words, between digits and in the Catalan `l·l`. In a file name it looks like a
 * full stop.
 */
const MIDDLE_DOT = '\u{b7}';

/**
 * Matches the start of a line in a table or tree drawn with characters. The start may contain the digits and signs that
 * a diff adds.
 */
const DRAWN = /^[\s\d+-]*[\u{2500}-\u{257f}]/u;

const EAST_ASIAN =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Bopomofo}\u{3001}\u{3002}]/u;
const SIGN = new RegExp(
  [ALWAYS, TOUCHING, LONG_DASH, PRIME, WIDE, UPRIGHT, FULL_STOP, /\u{b7}/u].map(({ source }) => source).join('|'),
  'u',
);

/**
 * Returns the indexes of the signs to mark in a line. For some signs, the result depends on the characters directly
 * next to them. For others, it depends on the nearest character that is not a blank.
 */
export function twinSigns(chars: readonly string[]): readonly number[] {
  const line = chars.join('');
  if (!SIGN.test(line)) return [];
  const isDrawn = DRAWN.test(line);
  const hasFullStops = OF_FULL_STOPS.test(line.replaceAll(/[\u{589}\u{5c3}]/gu, ''));
  const words = eastAsianWords(chars);
  const isEastAsian = words.includes(true);
  const before = nearest(chars);
  const after = nearest(chars.toReversed()).toReversed();
  const dashes = chars.map((char, at) => (LONG_DASH.test(char) ? at : -1));
  const firstOf = runEnds(dashes);
  const lastOf = runEnds(dashes.toReversed()).toReversed();
  return [...chars.keys()].filter((at) => {
    const char = chars[at] ?? '';
    const [next, far] = [
      [chars[at - 1], chars[at + 1]],
      [before[at], after[at]],
    ] as const;
    if (ALWAYS.test(char)) return true;
    if (TOUCHING.test(char)) return next.some(isAscii);
    if (LONG_DASH.test(char)) return isDashLike(chars[(firstOf[at] ?? at) - 1], chars[(lastOf[at] ?? at) + 1]);
    if (char === MIDDLE_DOT) return isDotLike(...next);
    if (FULL_STOP.test(char)) return hasFullStops ? next.every(isAscii) : isNextToAscii(...far);
    if (PRIME.test(char)) return isQuoteLike(...next);
    if (WIDE.test(char)) return isEastAsian ? far.every(isAscii) && words[at] !== true : isNextToAscii(...far);
    return UPRIGHT.test(char) && !isDrawn && isAscii(far[0]) && isAsciiOrNone(far[1]);
  });
}

/**
 * For each dash, returns the position of the first dash in its run. `dashes` has one entry per character of the line.
 * For a dash, the entry is its position. For any other character, it is `-1`. If the list is reversed, the result is
 * the last dash of each run.
 */
function runEnds(dashes: readonly number[]): readonly number[] {
  const ends: number[] = [];
  for (const [index, at] of dashes.entries())
    ends.push(index > 0 && dashes[index - 1] !== -1 ? (ends[index - 1] ?? at) : at);
  return ends;
}

function isDashLike(before: string | undefined, after: string | undefined): boolean {
  if (!isAscii(after)) return false;
  if (isBlank(before)) return /[a-z0-9-]/i.test(after ?? '');
  return isAscii(before) && !(isDigit(before) && isDigit(after));
}

function isDotLike(before: string | undefined, after: string | undefined): boolean {
  if (after === '/' || (isBlank(before) && after === MIDDLE_DOT)) return true;
  if (!isAscii(before) || !isAscii(after)) return false;
  return !(isDigit(before) && isDigit(after)) && !/^ll$/i.test(`${before}${after}`);
}

/** Returns true if a prime looks like a quote. After a digit it is a unit, as in `5′`. */
function isQuoteLike(before: string | undefined, after: string | undefined): boolean {
  return !isDigit(before) && (isAscii(before) || isAscii(after));
}

function isNextToAscii(before: string | undefined, after: string | undefined): boolean {
  return (isAscii(before) && isAsciiOrNone(after)) || (isAscii(after) && before === undefined);
}

/** For each character, returns true if its word contains East Asian letters. Words are separated by blanks. */
function eastAsianWords(chars: readonly string[]): readonly boolean[] {
  const found: boolean[] = chars.map(() => false);
  for (let start = 0; start < chars.length;) {
    let end = start;
    while (end < chars.length && !isBlank(chars[end])) end += 1;
    if (chars.slice(start, end).some((char) => EAST_ASIAN.test(char) && !WIDE.test(char))) found.fill(true, start, end);
    start = end + 1;
  }
  return found;
}

/** For each character, returns the last earlier character that is neither a blank nor one of the signs in this file. */
function nearest(chars: readonly string[]): readonly (string | undefined)[] {
  let last: string | undefined;
  return chars.map((char) => {
    const before = last;
    if (!isBlank(char) && !SIGN.test(char)) last = char;
    return before;
  });
}

function isAscii(char: string | undefined): boolean {
  return char !== undefined && /^[\x21-\x7e]$/.test(char);
}

function isAsciiOrNone(char: string | undefined): boolean {
  return char === undefined || isAscii(char);
}

function isDigit(char: string | undefined): boolean {
  return char !== undefined && /^[0-9]$/.test(char);
}

function isBlank(char: string | undefined): boolean {
  return char === undefined || /^\s$/u.test(char);
}
