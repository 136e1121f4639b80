// A long line, cut between graphemes: around what matched in it, or at its end. A secret is masked before the cut, or left out
// whole: a part of a token has no shape that a later mask would know.

import { graphemeAt } from '@tidemark/model';

const MOST_CHARACTERS = 400;
/** How much of them may stand before the match. */
const BEFORE = 100;

/** The line, or at most 400 characters of it around the match, with `…` where it was cut. */
export function cutLine(text: string, [start]: readonly [start: number, end: number] = [0, 0]): string {
  if (text.length <= MOST_CHARACTERS) return text;
  const from = Math.max(0, Math.min(start - BEFORE, text.length - MOST_CHARACTERS));
  const first = from === 0 ? 0 : boundaryAfter(text, from);
  const last = boundaryBefore(text, Math.min(text.length, from + MOST_CHARACTERS));
  const end = Math.max(first, last);
  return `${first > 0 ? '…' : ''}${text.slice(first, end)}${end < text.length ? '…' : ''}`;
}

/** A whole line of a minified file is too much to segment: boundaries are looked for near the cut. */
const NEAR = 200;

function boundaryAfter(text: string, at: number): number {
  const from = Math.max(0, at - NEAR);
  const holding = graphemeAt(text.slice(from, at + NEAR), at - from);
  return holding === undefined || from + holding.index === at ? at : from + holding.index + holding.segment.length;
}

function boundaryBefore(text: string, at: number): number {
  if (at >= text.length) return at;
  const from = Math.max(0, at - NEAR);
  const holding = graphemeAt(text.slice(from, at + NEAR), at - from);
  return holding === undefined ? at : from + holding.index;
}

/** Characters on either side of a match that are masked before the line is cut: more than any token has. */
const MASKED = 32 * 1024;

/** The part of a long line that is masked before it is cut. */
export interface LongLine {
  readonly text: string;
  /** Where the match begins in `text`, in characters. */
  readonly at: number;
  /** The line holds more before `text`. */
  readonly hasMore: boolean;
}

/** Returns the part of a line around its match; `undefined` for a line that `cutLine` leaves whole. */
export function longLine(text: string, [start]: readonly [start: number, end: number] = [0, 0]): LongLine | undefined {
  if (text.length <= MOST_CHARACTERS) return undefined;
  const from = boundaryBefore(text, Math.max(0, start - MASKED));
  const part = text.slice(from, boundaryBefore(text, Math.min(text.length, start + MASKED)));
  // A copy: a slice would keep the whole line in memory.
  return { text: Buffer.from(part).toString(), at: start - from, hasMore: from > 0 };
}

/** Returns what `cutLine` shows of the line, with its secrets masked before the cut. */
export async function cutMasked(
  { text, at, hasMore }: LongLine,
  mask: (text: string) => Promise<string>,
): Promise<string> {
  const masked = await mask(text);
  const place = placeAfterMask(text, masked, at);
  const shown = cutLine(masked, [place, place]);
  return `${hasMore && !shown.startsWith('…') ? '…' : ''}${shown}`;
}

/** Returns where a place of the text is after the mask: counted from the end that has no secret before it, else from the begin. */
function placeAfterMask(part: string, masked: string, at: number): number {
  if (part.slice(0, at) === masked.slice(0, at)) return at;
  const after = part.length - at;
  return part.slice(at) === masked.slice(-after) ? masked.length - after : Math.min(at, masked.length);
}

/** Ends a token: what stands on the other side belongs to another word. */
const BETWEEN = /[\s"'`,;(){}[\]<>|]/;

/** Returns the line, or its first characters with `…` behind them. The word at the cut is left out whole: it may be a token. */
export function cutBeforeWord(text: string, most: number): string {
  if (text.length <= most) return text;
  let end = boundaryBefore(text, most);
  if (!BETWEEN.test(text.charAt(end))) while (end > 0 && !BETWEEN.test(text.charAt(end - 1))) end -= 1;
  return `${text.slice(0, end)}…`;
}
