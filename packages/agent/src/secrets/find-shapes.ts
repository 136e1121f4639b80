// Finds text in the format of a secret. Our own rules run first, because their matches end exactly where the secret
// ends. The rules of secretlint run only if our own rules find nothing.

import type { SecretShape } from './credential.ts';
import { gradeOf } from './credential.ts';
import { findNamedValues, findPairedValues } from './named-values.ts';
import type { SecretRule } from './token-rules.ts';
import { PLACE_RULES, SHORTEST_RUN, TOKEN_HINT, TOKEN_RULES, findByLibrary } from './token-rules.ts';

/**
 * Maximum length of a text that a rule matches, in UTF-16 units. The length includes the name or prefix before the
 * secret.
 */
export const LONGEST_SHAPE = 16_384;

/**
 * Returns the shapes that our own rules find. If they find nothing, returns the shapes that secretlint finds. The
 * shapes are in order and without overlaps. Overlapping shapes are joined under the name of the first one. Set
 * `withinLine` if the text was cut from a longer text and begins in the middle of a line.
 */
export async function findShapes(text: string, withinLine = false): Promise<readonly SecretShape[]> {
  const own = findOwn(text, withinLine);
  return own.length > 0 ? own : joinOverlaps(await findByLibrary(text));
}

/** Returns every shape that our own rules find in the text, in order and without overlaps. */
export function findOwn(text: string, withinLine = false): readonly SecretShape[] {
  const find = (plain: string): readonly SecretShape[] => findPlain(plain, withinLine);
  return joinOverlaps([...find(text), ...findBetweenColours(text, find, LONGEST_SHAPE)]);
}

function findPlain(text: string, withinLine: boolean): readonly SecretShape[] {
  const places = PLACE_RULES.flatMap(({ hint, rules }) =>
    hint.test(text) ? rules.flatMap((rule) => shapesOf(rule, text)) : [],
  );
  const named = findNamedValues(text, withinLine);
  return [...tokensIn(text), ...places, ...findKeyLines(text), ...named, ...findPairedValues(text)];
}

function shapesOf({ name, expression, isSecret, looksBack = 0 }: SecretRule, text: string): readonly SecretShape[] {
  const found: SecretShape[] = [];
  for (const { 0: whole, index, groups } of text.matchAll(expression)) {
    const lead = groups?.['lead'] ?? '';
    const secret = groups?.['secret'] ?? whole;
    if (isSecret?.({ text, index, lead, secret }) === false) continue;
    const start = index + lead.length;
    found.push({ from: Math.max(0, index - looksBack), start, end: start + secret.length, name });
  }
  return found;
}

/**
 * Number of characters that are read before a run of token characters. These characters show where the token begins:
 * after an escape, after the end of a colour code, or at a prefix such as `ya29.`.
 */
const LEAD = 16;
/** Matches the rest of a token after its first run of letters, digits, `_` and `-`. */
const REST = /[\w.+/=%-]{0,16000}/y;

/**
 * Returns the tokens in a text. A token contains a run of at least `SHORTEST_RUN` letters, digits, `_` or `-`. It is
 * therefore enough to test only every `SHORTEST_RUN`th character. If the character belongs to a run, the run is
 * searched for a token.
 */
function tokensIn(text: string): readonly SecretShape[] {
  const found: SecretShape[] = [];
  for (let at = SHORTEST_RUN - 1; at < text.length; at += SHORTEST_RUN) {
    if (!isRunCharacter(text.charCodeAt(at))) continue;
    let start = at;
    while (start > at - SHORTEST_RUN && isRunCharacter(text.charCodeAt(start - 1))) start -= 1;
    let end = at + 1;
    while (end < start + SHORTEST_RUN && isRunCharacter(text.charCodeAt(end))) end += 1;
    if (end < start + SHORTEST_RUN) continue;
    REST.lastIndex = end;
    end += REST.exec(text)?.[0].length ?? 0;
    const from = Math.max(0, start - LEAD);
    const run = text.slice(from, end + 1);
    if (TOKEN_HINT.test(run)) found.push(...shapesIn(run, from));
    at = end - 1;
  }
  return found;
}

function shapesIn(run: string, at: number): readonly SecretShape[] {
  return TOKEN_RULES.flatMap((rule) => shapesOf(rule, run)).map((shape) => ({
    name: shape.name,
    from: shape.from + at,
    start: shape.start + at,
    end: shape.end + at,
  }));
}

const RUN_CHARACTERS = Uint8Array.from({ length: 128 }, (_, code) => Number(/[\w-]/.test(String.fromCharCode(code))));

function isRunCharacter(code: number): boolean {
  return code < 128 && RUN_CHARACTERS[code] === 1;
}

function joinOverlaps(shapes: readonly SecretShape[]): readonly SecretShape[] {
  const apart: SecretShape[] = [];
  for (const shape of shapes.toSorted((a, b) => a.start - b.start || b.end - a.end)) {
    const last = apart.at(-1);
    if (last === undefined || shape.start >= last.end) apart.push(shape);
    else
      apart[apart.length - 1] = { ...last, from: Math.min(last.from, shape.from), end: Math.max(last.end, shape.end) };
  }
  return apart;
}

/**
 * Matches a colour code in one of three forms: the raw escape character, its visible symbol, or an escape in a string.
 */
const COLOUR = /(?:[\u001B\u241B]|\\{1,15}(?:u001[bB]|u\{1[bB]\}|x1[bB]|033|e))\[[\d;:]{0,32}[mK]/g;

/** Matches text that may be a colour code. This cheap check runs before `COLOUR`. */
const HINT = /(?:[\u001B\u241B]|1[bB]\}?|033|\\e)\[/;

/**
 * Returns the shapes that `find` finds in the text without its colour codes. The shapes have their offsets in the
 * original text. A shape is omitted if it has more than `longest` characters together with its colour codes. Returns an
 * empty list for a text without colour codes.
 */
function findBetweenColours(
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

interface ColourPiece {
  readonly piece: string;
  /** Offset of the piece in the original text. `plainAt` is its offset in the text without colour codes. */
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

/**
 * Returns a function that converts an offset in the text without colour codes to the offset in the original text. There
 * may be many pieces, so the function uses a binary search.
 */
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

// Finds the lines of a private key after its first line, one by one. A line may have a line number or a file name
// before it (`grep -n`), or be a string literal in source code. The whole key may also be on one line. The end of the
// key may be missing.

const SPACE = '(?:[ +]|%20)';
const BEGIN = new RegExp(
  `(?:-|%2D){5}BEGIN${SPACE}?(?:[A-Z0-9]{1,16}${SPACE}){0,4}PRIVATE${SPACE}KEY(?:${SPACE}BLOCK)?(?:-|%2D){5}`,
  'gi',
);
/**
 * Text allowed between two lines of a key: line ends and quotes in all their escapes, punctuation of source code, and
 * marks of a comment or a table.
 */
const GAP = String.raw`(?:[\s"'\x60,;:+.&()[\]>|#*~│→-]|\\{1,15}(?:[nrt"'\x60]|u00(?:0[AaDd9]|2[27])|x0[AaDd]|(?=\s))|&(?:#x0?[AaDd]|#1[03]|#x2[27]|#3[49]|quot|apos|nbsp);|%(?:25)?(?:0[AaDd9]|2[0279cC])|\/\/(?=[ \t])|<br ?\/?>){0,60}?`;
/** Line number or file name before a line, as printed by `grep` and editors. */
const PREFIX = String.raw`(?:[\w./\\-]{1,120}[:-])?(?:\d{1,6}(?:[:|→│-]|\\{1,15}t|[ \t]){1,6})?[ \t]{0,16}`;
/** Empty line with a line number. This line ends the headers of a key. */
const EMPTY_LINE = String.raw`(?:[\w./\\-]{1,120}[:-])?\d{1,6}[:-]?(?:\r?\n|\\{1,15}n)`;
const LETTER = String.raw`(?:[A-Za-z0-9+/=]|%(?:25)?(?:2[BbFf]|3[Dd])|\\{1,15}/)`;
/** Header inside the key block: `Proc-Type: 4,ENCRYPTED`. */
const HEADER = new RegExp(`${GAP}(?:${PREFIX})?(?:Proc-Type|DEK-Info|Comment|Version): ?[^\\n\\\\"]{0,80}`, 'y');
const LINE = new RegExp(`${GAP}(?:${EMPTY_LINE}${GAP})?(?:${PREFIX})?(?<body>${LETTER}{40,15000})`, 'y');
/** Matches a line of 4 to 39 characters, such as the last line of a key. */
const SHORT_LINE = new RegExp(`${GAP}(?:${PREFIX})?(?<body>${LETTER}{4,39})(?=[\\s"'\`\\\\&%<]|$)`, 'y');

/** Number of characters that are searched from the beginning of a key. Every key is shorter. */
const LONGEST_KEY = 16_000;
const MAX_HEADERS = 4;

/** Returns every line of a private key after its `BEGIN` line. */
function findKeyLines(text: string): readonly SecretShape[] {
  if (!/BEGIN/i.test(text)) return [];
  return [...text.matchAll(BEGIN)].flatMap(({ 0: { length }, index }) => linesOfKey(text, index, index + length));
}

function linesOfKey(text: string, from: number, begin: number): readonly SecretShape[] {
  const key = text.slice(from, from + LONGEST_KEY);
  const found: SecretShape[] = [];
  const add = (end: number, body: string): number => {
    found.push({ from, start: from + end - body.length, end: from + end, name: 'privatekey' });
    return end;
  };
  let at = behindHeaders(key, begin - from);
  for (let body = bodyAt(LINE, key, at); body !== undefined; body = bodyAt(LINE, key, at))
    at = add(LINE.lastIndex, body);
  const rest = found.length === 0 ? undefined : bodyAt(SHORT_LINE, key, at);
  if (rest !== undefined && gradeOf(rest) === 'mixed') add(SHORT_LINE.lastIndex, rest);
  return found;
}

function behindHeaders(key: string, begin: number): number {
  let at = begin;
  for (let count = 0; count < MAX_HEADERS; count += 1) {
    HEADER.lastIndex = at;
    if (!HEADER.test(key)) break;
    at = HEADER.lastIndex;
  }
  return at;
}

function bodyAt(line: RegExp, key: string, at: number): string | undefined {
  line.lastIndex = at;
  return line.exec(key)?.groups?.['body'];
}
