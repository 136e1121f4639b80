// Marks text written by others before a user makes a decision about it. Invisible characters are marked with their code
// points. Letters and signs that look like ASCII are marked too. No character is removed. Words are checked by the
// level "highly restrictive" of the Unicode standard UTS #39.

import { angleSigns } from './angle-signs.ts';
import { twinMarks } from './twin-marks.ts';
import { twinSigns } from './twin-signs.ts';
import { wideLetters } from './wide-letters.ts';

/**
 * Matches control characters except tab and line feed, format characters, blanks except the space, separators, and
 * unassigned or ignorable characters.
 */
const UNSEEN = /(?![\t\n ])[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u{2800}]/u;

/**
 * Matches mathematical letters and digits. No language is written with them. `℃` and `™` are not included, because they
 * do not look like ASCII letters.
 */
const MATHEMATICAL =
  /[\u{2102}\u{210a}-\u{2113}\u{2115}\u{2118}-\u{211d}\u{2124}\u{2128}\u{212a}-\u{2138}\u{2145}-\u{2149}\u{1d400}-\u{1d7ff}]/u;

/** Matches letters of the Latin script that look like an ASCII letter or its small capital. */
const TWIN_OF_LATIN =
  /[\u{251}\u{261}\u{26a}\u{274}\u{280}\u{28f}\u{299}\u{29c}\u{29f}\u{1d00}-\u{1d22}\u{a730}\u{a731}]/u;

/** Cyrillic, Greek, Armenian, Cherokee, Coptic and Lisu letters that look like Latin letters in most fonts. */
const TWIN = new Set(
  'ӀѴѵԚԜϲϹϳͿⲀⲁⲂⲈⲉⲎⲒⲓⲔⲕⲘⲚⲞⲟⲢⲣⲤⲥⲦⲧⲨⲩⲬⲭⲺꓐꓑꓓꓔꓖꓗꓙꓚꓜꓝꓟꓠꓡꓢꓣꓦꓧꓪꓫꓬꓮꓰꓲꓳꓴаеорсухіјѕһԁԛԝьӏАВЕЅІЈКМНОРСТХУԌΑΒΕΖΗΙΚΜΝΟΡΤΥΧοικνρυαօոսհՕՏՍԼᎠᎡᎢᎥᎩᎪᎫᎬᎳᎷᎻᏀᏃᏎᏏᏔᏙᏚᏞᏟᏢᏦᏴ',
);

const LATIN = /\p{Script=Latin}/u;
/** Matches scripts that are written next to Latin letters without a space. */
const NEXT_TO_LATIN = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Bopomofo}]/u;
const NEUTRAL = /[\p{Script=Common}\p{Script=Inherited}]/u;

const WORDS = /[\p{L}\p{M}\p{N}_]+/gu;
const TOKENS = /[^\s]+/gu;
const FORGED = /\u{27e8}(?=U\+)/u;
/**
 * Matches a character that every emoji sequence contains. This fast test avoids the slow search for sequences in most
 * lines.
 */
const IN_EMOJI = /[\p{Emoji_Presentation}\u{fe0f}]/u;

/**
 * Returns the text with marks. An invisible character is replaced by its mark, such as `⟨U+200B⟩`. After a look-alike,
 * its mark is added. Tabs, line feeds and text in a single script stay unchanged. The result cannot move the cursor or
 * reverse text.
 */
export function markedText(text: string): string {
  return text.split('\n').map(markedLine).join('\n');
}

function markedLine(line: string): string {
  if (/^[\t\x20-\x7e]*$/.test(line)) return line;
  const chars = Array.from(line);
  const places = placesOf(chars);
  const isEmoji = emojiPlaces(line, places);
  const byUnit = [...wideLetters(line), ...angleSigns(line)].map((unit) => places[unit] ?? 0);
  const marked = new Set([...twinSigns(chars), ...twinMarks(chars), ...twinLetters(line, places), ...byUnit]);
  const shown = (char: string, at: number): string => {
    if (isEmoji.has(at)) return char;
    if (UNSEEN.test(char)) return isWideBlank(chars, at) ? char : markOf(char);
    if (FORGED.test(char + (chars[at + 1] ?? '') + (chars[at + 2] ?? ''))) return markOf(char);
    // Marks begin with this bracket, so the bracket itself could look like a mark. Only its code point is shown.
    if (char === '⟨' && marked.has(at)) return markOf(char);
    return marked.has(at) || MATHEMATICAL.test(char) ? withMark(char) : char;
  };
  return chars.map(shown).join('');
}

/** For each UTF-16 unit of a line, returns the index of the character that contains it. */
function placesOf(chars: readonly string[]): readonly number[] {
  return chars.flatMap((char, at) => (char.length === 2 ? [at, at] : [at]));
}

/**
 * Returns the indexes of emoji characters. A keycap digit counts as an emoji only if blanks or the ends of the line are
 * around it. Next to other text it looks like the plain digit.
 */
function emojiPlaces(line: string, placeAt: readonly number[]): ReadonlySet<number> {
  const places = new Set<number>();
  if (!IN_EMOJI.test(line)) return places;
  // Joiners and variation selectors inside a sequence are not marked as invisible. The pattern is created here and not
  // at the start of the program, because its table takes 8 ms.
  for (const { 0: emoji, index } of line.matchAll(/\p{RGI_Emoji}/gv)) {
    const around = line.charAt(index - 1) + line.charAt(index + emoji.length);
    if (isAscii(emoji.charAt(0)) && /\S/u.test(around)) continue;
    for (let unit = index; unit < index + emoji.length; unit += 1) places.add(placeAt[unit] ?? 0);
  }
  return places;
}

/** Returns true for the ideographic space (U+3000) inside East Asian text. */
function isWideBlank(chars: readonly string[], at: number): boolean {
  if (chars[at] !== '\u3000') return false;
  const [before, after] = [chars[at - 1], chars[at + 1]];
  const isAtHome = (char: string | undefined): boolean =>
    char !== undefined && /[\u3000-\u303f\uff00-\uffef]|\p{Ideographic}/u.test(char);
  const isAtHomeOrLetter = (char: string | undefined): boolean =>
    isAtHome(char) || (char !== undefined && NEXT_TO_LATIN.test(char));
  return isAtHomeOrLetter(after) && (before === undefined || isAtHomeOrLetter(before));
}

/** Returns the indexes of letters and digits that look like Latin letters or ASCII digits but are other characters. */
function twinLetters(line: string, placeAt: readonly number[]): readonly number[] {
  const words: Word[] = [];
  for (const { 0: token, index } of line.matchAll(TOKENS)) {
    const isNextToLatin = LATIN.test(token);
    for (const { 0: text, index: at } of token.matchAll(WORDS))
      words.push({ text, at: placeAt[index + at] ?? 0, isNextToLatin });
  }
  const hasLatin = words.some(({ isNextToLatin }) => isNextToLatin);
  const [before, after] = [followsForeign(words), followsForeign(words.toReversed()).toReversed()];
  return words.flatMap(({ text, at, isNextToLatin }, index) => {
    const isAmongForeign = before[index] === true || after[index] === true;
    const isAlone = hasLatin && !isAmongForeign && isTwinWord(text);
    return isNextToLatin || isAlone ? markedIn(text).map((offset) => at + offset) : [];
  });
}

interface Word {
  readonly text: string;
  /** Index of the word's first character in the line, counted in code points. */
  readonly at: number;
  /** True if the text between the blanks around the word contains Latin letters. */
  readonly isNextToLatin: boolean;
}

/**
 * For each word, returns true if all letters of the nearest earlier word are foreign (`isForeign`). The search skips
 * words that have only look-alike letters.
 */
function followsForeign(words: readonly Word[]): readonly boolean[] {
  let isForeignBefore = false;
  return words.map(({ text }) => {
    const was = isForeignBefore;
    if (!isTwinWord(text)) {
      const letters = lettersOf(text);
      isForeignBefore = letters.length > 0 && letters.every((char) => isForeign(char));
    }
    return was;
  });
}

function isTwinWord(word: string): boolean {
  const letters = lettersOf(word);
  return letters.length > 0 && letters.every((char) => TWIN.has(char));
}

function lettersOf(word: string): readonly string[] {
  return Array.from(word).filter((char) => /\p{L}/u.test(char));
}

/**
 * Returns the indexes of the characters to mark in a word. If all letters of the word are look-alikes, all letters and
 * digits are marked. In a word with Latin letters, foreign letters are marked. Next to ASCII, other forms of ASCII
 * characters are marked too.
 */
function markedIn(word: string): readonly number[] {
  if (isAscii(word)) return [];
  const letters = lettersOf(word);
  const isTwin = letters.every((char) => TWIN.has(char));
  const isLatin = letters.some((char) => LATIN.test(char));
  if (!isTwin && !isLatin) return [];
  const hasAscii = /[a-z0-9]/i.test(word);
  const isMixed = (char: string): boolean => isTwin || isForeign(char) || (hasAscii && isCompatible(char));
  return Array.from(word).flatMap((char, at) => (/[\p{L}\p{Nd}\p{Nl}]/u.test(char) && isMixed(char) ? [at] : []));
}

function isForeign(char: string): boolean {
  if (TWIN_OF_LATIN.test(char)) return true;
  return /\p{L}/u.test(char) && ![LATIN, NEXT_TO_LATIN, NEUTRAL].some((script) => script.test(char));
}

/** Returns true for another form of ASCII letters or digits, such as fullwidth letters and ligatures. */
function isCompatible(char: string): boolean {
  if (isAscii(char) || MATHEMATICAL.test(char)) return false;
  return /^[a-z0-9]+$/i.test(char.normalize('NFKC'));
}

function isAscii(text: string): boolean {
  return /^[\x20-\x7e]*$/.test(text);
}

function withMark(char: string): string {
  return char + markOf(char);
}

function markOf(char: string): string {
  return `⟨U+${(char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}⟩`;
}
