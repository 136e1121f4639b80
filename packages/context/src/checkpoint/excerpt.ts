// Parts of a text, cut between graphemes, that say how much they leave out.

const GRAPHEMES = new Intl.Segmenter('und', { granularity: 'grapheme' });
/** Of an excerpt, the share that its beginning has: what is asked stands there, and what is forbidden at the end. */
const BEGINNING = 2 / 3;
/** What the words between take at most. */
const BETWEEN = 32;
/** Of a line that a checkpoint keeps, in UTF-16 units. */
const LINE = 1_000;

/** The beginning and the end of a text, all in all of at most so many UTF-16 units, and between them how many are left out. */
export function excerptOf(text: string, most: number): string {
  if (text.length <= most) return text;
  const room = Math.max(0, Math.floor(most) - BETWEEN);
  const first = startAt(text, Math.floor(room * BEGINNING));
  const second = Math.max(first, endAt(text, text.length - (room - first)));
  return `${text.slice(0, first)} […${second - first} left out…] ${text.slice(second)}`;
}

/** The end of a text, of at most so many UTF-16 units. */
export function endOf(text: string, most: number): string {
  return text.length <= most ? text : `…${text.slice(endAt(text, text.length - most))}`;
}

/** The beginning of a text in one line, of at most so many UTF-16 units. */
export function lineOf(text: string, most: number): string {
  const line = oneLine(text);
  return line.length <= most ? line : `${line.slice(0, startAt(line, most))}…`;
}

/** A text as one of the lines that checkpoints carry: always cut alike, so that it is known again when it returns. */
export function carriedLine(text: string): string {
  return excerptOf(oneLine(text), LINE);
}

/** A text in one line: whatever breaks a line, or hides, becomes a space. */
export function oneLine(text: string): string {
  return text.replaceAll(/[\s\p{Cc}\u2028\u2029]+/gu, ' ').trim();
}

function startAt(text: string, at: number): number {
  return GRAPHEMES.segment(text).containing(at)?.index ?? at;
}

function endAt(text: string, at: number): number {
  const found = GRAPHEMES.segment(text).containing(at);
  if (found === undefined || found.index === at) return at;
  return found.index + found.segment.length;
}
