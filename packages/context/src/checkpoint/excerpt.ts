// Parts of a text, cut between graphemes, that say how much they leave out.

import { graphemeAt } from '@tidemark/model';

/** Of an excerpt, the share that its beginning has: what is asked stands there, and what is forbidden at the end. */
const BEGINNING = 2 / 3;
/** What the words between take at most. */
const BETWEEN = 32;
/** Of a line that a checkpoint keeps, in UTF-16 units. */
const LINE = 1_000;

/** The beginning and the end of a text, all in all of at most so many UTF-16 units, and between them how many are left out. */
export function excerptOf(text: string, most: number): string {
  return text.length <= most ? text : joinEnds(text, text, text.length, most);
}

/** The same of an excerpt: what it says is left out is counted from the whole text, which was `of` units long. */
export function excerptAgain(excerpt: string, of: number, most: number): string {
  if (excerpt.length <= most) return excerpt;
  const [first, second] = endsOf(excerpt, of) ?? [excerpt, excerpt];
  return joinEnds(first, second, of, most);
}

/** The first words of one text and the last of another, which are both of a text that is `of` units long. */
function joinEnds(first: string, second: string, of: number, most: number): string {
  const room = Math.max(0, Math.floor(most) - BETWEEN);
  const begins = first.slice(0, startAt(first, Math.min(first.length, Math.floor(room * BEGINNING))));
  const from = Math.max(of - second.length, of - (room - begins.length), begins.length);
  const ends = second.slice(endAt(second, second.length - (of - from)));
  return begins + between(of - begins.length - ends.length) + ends;
}

function between(missing: number): string {
  return ` […${missing} left out…] `;
}

/** What stands before and behind the words that say how much an excerpt leaves out; `undefined` where it says nothing. */
function endsOf(excerpt: string, of: number): readonly [first: string, second: string] | undefined {
  // How long those words are hangs on the number that they say, and the number on how long they are.
  for (let digits = 1; digits <= `${of}`.length; digits += 1) {
    const words = between(of - excerpt.length + between(0).length - 1 + digits);
    const at = excerpt.indexOf(words);
    if (at !== -1 && words.length === between(0).length - 1 + digits)
      return [excerpt.slice(0, at), excerpt.slice(at + words.length)];
  }
  return undefined;
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

/** A text in one line: what breaks a line, hides, or turns its direction becomes a space. */
export function oneLine(text: string): string {
  return text.replaceAll(/[\s\p{Cc}\u2028\u2029\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069\uFEFF]+/gu, ' ').trim();
}

/** By this two lines are known as the same: their words, without case, quotes and the sign at the end. */
export function keyOfLine(text: string): string {
  const words = oneLine(text.replaceAll(/["'`*]/g, '')).toLowerCase();
  // Character by character: an expression for the end takes time with the square of a row of dots.
  let end = words.length;
  while (end > 0 && '.!?;:, '.includes(words.charAt(end - 1))) end -= 1;
  return words.slice(0, end);
}

function startAt(text: string, at: number): number {
  return graphemeAt(text, at)?.index ?? at;
}

function endAt(text: string, at: number): number {
  const found = graphemeAt(text, at);
  if (found === undefined || found.index === at) return at;
  return found.index + found.segment.length;
}
