// Excerpts of texts. They are cut between graphemes and state the length of the omitted part.

import { graphemeAt } from '@tidemark/model';

/**
 * Share of an excerpt that comes from the beginning of the text. A prompt usually begins with the request and ends with
 * the prohibitions, so both ends are kept.
 */
const BEGINNING = 2 / 3;
/** Maximum length of the note between both ends, in UTF-16 units. */
const BETWEEN = 32;
/** Maximum length of a line that a checkpoint keeps, in UTF-16 units. */
const LINE = 1_000;

/**
 * Returns the beginning and the end of a text, with a note about the length of the omitted part between them. The
 * result has at most `most` UTF-16 units if `most` is at least 32, the maximum length of the note. A text that fits is
 * returned unchanged.
 */
export function excerptOf(text: string, most: number): string {
  return text.length <= most ? text : joinEnds(text, text, text.length, most);
}

/**
 * Shortens an excerpt to at most `most` UTF-16 units. `of` is the length of the original text, and the new note counts
 * all omitted units of the original text.
 */
export function excerptAgain(excerpt: string, of: number, most: number): string {
  if (excerpt.length <= most) return excerpt;
  const [first, second] = endsOf(excerpt, of) ?? [excerpt, excerpt];
  return joinEnds(first, second, of, most);
}

/**
 * Joins both ends. `first` contains the beginning and `second` contains the end of the same text, which is `of` units
 * long.
 */
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

function endsOf(excerpt: string, of: number): readonly [first: string, second: string] | undefined {
  // The length of the note depends on the number in it, and that number depends on the length of the note. Each number
  // of digits is therefore tried.
  for (let digits = 1; digits <= `${of}`.length; digits += 1) {
    const words = between(of - excerpt.length + between(0).length - 1 + digits);
    const at = excerpt.indexOf(words);
    if (at !== -1 && words.length === between(0).length - 1 + digits)
      return [excerpt.slice(0, at), excerpt.slice(at + words.length)];
  }
  return undefined;
}

/** Returns the end of a text. It has at most `most` UTF-16 units, plus a leading `…` if the text was cut. */
export function endOf(text: string, most: number): string {
  return text.length <= most ? text : `…${text.slice(endAt(text, text.length - most))}`;
}

/**
 * Returns the beginning of a text as one line. It has at most `most` UTF-16 units, plus a trailing `…` if the text was
 * cut.
 */
export function lineOf(text: string, most: number): string {
  const line = oneLine(text);
  return line.length <= most ? line : `${line.slice(0, startAt(line, most))}…`;
}

/**
 * Returns a text as one line of a checkpoint. A long text is always cut in the same way, so later checkpoints can
 * recognize the line.
 */
export function carriedLine(text: string): string {
  return excerptOf(oneLine(text), LINE);
}

/**
 * Returns a text as one line. Line breaks, control characters and characters that change the text direction become
 * spaces.
 */
export function oneLine(text: string): string {
  return text.replaceAll(/[\s\p{Cc}\u2028\u2029\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069\uFEFF]+/gu, ' ').trim();
}

/**
 * Returns a key that is equal for two lines with the same words. Case, quotes and punctuation at the end are ignored.
 */
export function keyOfLine(text: string): string {
  const words = oneLine(text.replaceAll(/["'`*]/g, '')).toLowerCase();
  // A loop is used, because a regular expression would take quadratic time for a long row of dots.
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
