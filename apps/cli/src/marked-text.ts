// Text that others wrote, for a person who decides by it: characters that cannot be seen, and letters that look like Latin ones
// inside Latin words, are marked with their code points. Nothing is dropped. The word rule is "highly restrictive" of UTS #39.

/** Controls but tab and line feed, format characters, blanks that are no space, separators, unassigned and ignorable ones. */
const UNSEEN = /(?![\t\n ])[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u{2800}]/u;

/** Signs that look like / \ . : ; ! and |. */
const SIGN =
  /[\u{1c0}\u{1c3}\u{37e}\u{2024}\u{2044}\u{2215}\u{2216}\u{2223}\u{2236}\u{29f5}\u{29f8}\u{29f9}\u{a789}\u{fe68}]/u;

/** Mathematical letters and digits, which no language is written in. */
const MATHEMATICAL = /[\u{2102}-\u{2138}\u{1d400}-\u{1d7ff}]/u;

/** Letters of Latin script that look like a Latin letter or a small capital of it. */
const TWIN_OF_LATIN =
  /[\u{251}\u{261}\u{26a}\u{274}\u{280}\u{28f}\u{299}\u{29c}\u{29f}\u{1d00}-\u{1d22}\u{a730}\u{a731}]/u;

/** Cyrillic and Greek letters that look like Latin ones in most fonts. */
const TWIN = new Set('аеорсухіјѕһԁԛԝьӏАВЕЅІЈКМНОРСТХУԌΑΒΕΖΗΙΚΜΝΟΡΤΥΧοικνρυα');

const LATIN = /\p{Script=Latin}/u;
/** Scripts that are written next to Latin letters without a space. */
const NEXT_TO_LATIN = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Bopomofo}]/u;
const NEUTRAL = /[\p{Script=Common}\p{Script=Inherited}]/u;

const WORDS = /[\p{L}\p{M}\p{N}_]+/gu;
const TOKENS = /[^\s]+/gu;
const FORGED = /\u{27e8}(?=U\+)/gu;

/**
 * Returns the text with marks: an unseen character as `⟨U+200B⟩` in its place, a look-alike as itself and the mark. Tab and line
 * feed stay, and text in one script, whatever script it is, stays as it is. The result moves no cursor and turns no text around.
 */
export function markedText(text: string): string {
  return text
    .replace(FORGED, markOf)
    .replace(TOKENS, markedToken)
    .replace(new RegExp(UNSEEN, 'gu'), markOf)
    .replace(new RegExp(`${SIGN.source}|${MATHEMATICAL.source}`, 'gu'), withMark);
}

function markedToken(token: string): string {
  if (isAscii(token) || !LATIN.test(token)) return token;
  return token.replace(WORDS, markedWord);
}

/** A word of a token that holds Latin letters. */
function markedWord(word: string): string {
  if (isAscii(word)) return word;
  const letters = Array.from(word).filter((char) => /\p{L}/u.test(char));
  const isTwin = letters.every((char) => TWIN.has(char));
  const isLatin = letters.some((char) => LATIN.test(char));
  if (!isTwin && !isLatin) return word;
  const isMixed = (char: string): boolean => isTwin || isForeign(char) || isCompatible(char, word);
  return Array.from(word, (char) => (/[\p{L}\p{Nd}\p{Nl}]/u.test(char) && isMixed(char) ? withMark(char) : char)).join(
    '',
  );
}

function isForeign(char: string): boolean {
  if (TWIN_OF_LATIN.test(char)) return true;
  return /\p{L}/u.test(char) && ![LATIN, NEXT_TO_LATIN, NEUTRAL].some((script) => script.test(char));
}

/** Fullwidth letters, ligatures and the like: another form of ASCII letters, next to such. */
function isCompatible(char: string, word: string): boolean {
  if (isAscii(char) || MATHEMATICAL.test(char) || !/[a-z0-9]/i.test(word)) return false;
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
