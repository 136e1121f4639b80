// Finds the lines of a private key behind its first line, each by itself. They may have numbers and names of files before
// them (`grep -n`), be strings of an array or of code, or be written on one line. The end of the key may be missing.

import { gradeOf } from './credential-value.ts';
import type { SecretShape } from './shape.ts';

const SPACE = '(?:[ +]|%20)';
const BEGIN = new RegExp(
  `(?:-|%2D){5}BEGIN${SPACE}?(?:[A-Z0-9]{1,16}${SPACE}){0,4}PRIVATE${SPACE}KEY(?:${SPACE}BLOCK)?(?:-|%2D){5}`,
  'gi',
);
/** What may stand between two lines: line ends and quotes in all their escapes, signs of code, marks of a comment or a table. */
const GAP = String.raw`(?:[\s"'\x60,;:+.&()[\]>|#*~│→-]|\\{1,15}(?:[nrt"'\x60]|u00(?:0[AaDd9]|2[27])|x0[AaDd]|(?=\s))|&(?:#x0?[AaDd]|#1[03]|#x2[27]|#3[49]|quot|apos|nbsp);|%(?:25)?(?:0[AaDd9]|2[0279cC])|\/\/(?=[ \t])|<br ?\/?>){0,60}?`;
/** The number of a line, or the name of a file, as `grep` and editors print them. */
const PREFIX = String.raw`(?:[\w./\\-]{1,120}[:-])?(?:\d{1,6}(?:[:|→│-]|\\{1,15}t|[ \t]){1,6})?[ \t]{0,16}`;
/** An empty line that is numbered: it ends the headers. */
const EMPTY_LINE = String.raw`(?:[\w./\\-]{1,120}[:-])?\d{1,6}[:-]?(?:\r?\n|\\{1,15}n)`;
const LETTER = String.raw`(?:[A-Za-z0-9+/=]|%(?:25)?(?:2[BbFf]|3[Dd])|\\{1,15}/)`;
/** A header inside of the frame: `Proc-Type: 4,ENCRYPTED`. */
const HEADER = new RegExp(`${GAP}(?:${PREFIX})?(?:Proc-Type|DEK-Info|Comment|Version): ?[^\\n\\\\"]{0,80}`, 'y');
const LINE = new RegExp(`${GAP}(?:${EMPTY_LINE}${GAP})?(?:${PREFIX})?(?<body>${LETTER}{40,15000})`, 'y');
/** The last line of a key is shorter. */
const SHORT_LINE = new RegExp(`${GAP}(?:${PREFIX})?(?<body>${LETTER}{4,39})(?=[\\s"'\`\\\\&%<]|$)`, 'y');

/** Characters behind the beginning of a key that are searched: more than any key has. */
const LONGEST_KEY = 16_000;
const MOST_HEADERS = 4;

/** Every line of key material behind the first line of a private key. */
export function findKeyLines(text: string): readonly SecretShape[] {
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
  for (let count = 0; count < MOST_HEADERS; count += 1) {
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
