// Text that others wrote, for a person who decides by it: characters that cannot be seen, and letters and signs that look like
// those of ASCII, are marked with their code points. Nothing is dropped. The word rule is "highly restrictive" of UTS #39.

import { angleSigns } from './angle-signs.ts';
import { twinMarks } from './twin-marks.ts';
import { twinSigns } from './twin-signs.ts';
import { wideLetters } from './wide-letters.ts';

/** Controls but tab and line feed, format characters, blanks that are no space, separators, unassigned and ignorable ones. */
const UNSEEN = /(?![\t\n ])[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u{2800}]/u;

/** Mathematical letters and digits, which no language is written in. `℃` and `™` look like no letter of ASCII. */
const MATHEMATICAL =
  /[\u{2102}\u{210a}-\u{2113}\u{2115}\u{2118}-\u{211d}\u{2124}\u{2128}\u{212a}-\u{2138}\u{2145}-\u{2149}\u{1d400}-\u{1d7ff}]/u;

/** Letters of Latin script that look like a Latin letter or a small capital of it. */
const TWIN_OF_LATIN =
  /[\u{251}\u{261}\u{26a}\u{274}\u{280}\u{28f}\u{299}\u{29c}\u{29f}\u{1d00}-\u{1d22}\u{a730}\u{a731}]/u;

/** Cyrillic, Greek, Armenian, Cherokee, Coptic and Lisu letters that look like Latin ones in most fonts. */
const TWIN = new Set(
  'ӀѴѵԚԜϲϹϳͿⲀⲁⲂⲈⲉⲎⲒⲓⲔⲕⲘⲚⲞⲟⲢⲣⲤⲥⲦⲧⲨⲩⲬⲭⲺꓐꓑꓓꓔꓖꓗꓙꓚꓜꓝꓟꓠꓡꓢꓣꓦꓧꓪꓫꓬꓮꓰꓲꓳꓴаеорсухіјѕһԁԛԝьӏАВЕЅІЈКМНОРСТХУԌΑΒΕΖΗΙΚΜΝΟΡΤΥΧοικνρυαօոսհՕՏՍԼᎠᎡᎢᎥᎩᎪᎫᎬᎳᎷᎻᏀᏃᏎᏏᏔᏙᏚᏞᏟᏢᏦᏴ',
);

const LATIN = /\p{Script=Latin}/u;
/** Scripts that are written next to Latin letters without a space. */
const NEXT_TO_LATIN = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Bopomofo}]/u;
const NEUTRAL = /[\p{Script=Common}\p{Script=Inherited}]/u;

const WORDS = /[\p{L}\p{M}\p{N}_]+/gu;
const TOKENS = /[^\s]+/gu;
const FORGED = /\u{27e8}(?=U\+)/u;
/** Sequences that emoji are written with. Such a sequence holds joiners and selectors. */
const EMOJI = /\p{RGI_Emoji}/gv;

/**
 * Returns the text with marks: an unseen character as `⟨U+200B⟩` in its place, a look-alike as itself and the mark. Tab and line
 * feed stay, and text in one script, whatever script it is, stays as it is. The result moves no cursor and turns no text around.
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
    // Marks begin with this bracket, so a marked one is shown by its code point alone.
    if (char === '⟨' && marked.has(at)) return markOf(char);
    return marked.has(at) || MATHEMATICAL.test(char) ? withMark(char) : char;
  };
  return chars.map(shown).join('');
}

/** Returns the place of the character that begins at each UTF-16 unit of a line. */
function placesOf(chars: readonly string[]): readonly number[] {
  return chars.flatMap((char, at) => (char.length === 2 ? [at, at] : [at]));
}

/** Places of emoji. A digit in a box is one where it stands alone, as in a list: elsewhere it looks like the digit. */
function emojiPlaces(line: string, placeAt: readonly number[]): ReadonlySet<number> {
  const places = new Set<number>();
  for (const { 0: emoji, index } of line.matchAll(EMOJI)) {
    const around = line.charAt(index - 1) + line.charAt(index + emoji.length);
    if (isAscii(emoji.charAt(0)) && /\S/u.test(around)) continue;
    for (let unit = index; unit < index + emoji.length; unit += 1) places.add(placeAt[unit] ?? 0);
  }
  return places;
}

/** The blank of East Asian text, where it stands in such text. */
function isWideBlank(chars: readonly string[], at: number): boolean {
  if (chars[at] !== '\u3000') return false;
  const [before, after] = [chars[at - 1], chars[at + 1]];
  const isAtHome = (char: string | undefined): boolean =>
    char !== undefined && /[\u3000-\u303f\uff00-\uffef]|\p{Ideographic}/u.test(char);
  const isAtHomeOrLetter = (char: string | undefined): boolean =>
    isAtHome(char) || (char !== undefined && NEXT_TO_LATIN.test(char));
  return isAtHomeOrLetter(after) && (before === undefined || isAtHomeOrLetter(before));
}

/** Returns the places of letters and digits that look like others. */
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
  /** Place of its first character in the line. */
  readonly at: number;
  /** Its token, which ends at blanks, holds Latin letters. */
  readonly isNextToLatin: boolean;
}

/** Returns for each word true where the last word before it that is not of twins alone is plainly of another script than Latin. */
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

/** Returns the places in a word that stands with Latin letters. */
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

/** Fullwidth letters, ligatures and the like: another form of ASCII letters, next to such. */
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
