// Shortens a long line to the part around a match, or to its start. The line is cut between graphemes. A secret is
// either masked before the cut or removed completely, because a part of a secret can no longer be recognised.

import { graphemeAt } from '@tidemark/model';

const MAX_CHARACTERS = 400;
/** Maximum number of shown characters before the match. */
const BEFORE = 100;

/**
 * Returns the line, or at most 400 characters of it around the match, with `…` at each cut. If there is no match,
 * returns at most the first 400 characters.
 */
export function cutLine(text: string, [start]: readonly [start: number, end: number] = [0, 0]): string {
  if (text.length <= MAX_CHARACTERS) return text;
  const from = Math.max(0, Math.min(start - BEFORE, text.length - MAX_CHARACTERS));
  const first = from === 0 ? 0 : boundaryAfter(text, from);
  const last = boundaryBefore(text, Math.min(text.length, from + MAX_CHARACTERS));
  const end = Math.max(first, last);
  return `${first > 0 ? '…' : ''}${text.slice(first, end)}${end < text.length ? '…' : ''}`;
}

/**
 * Maximum distance between the cut and the nearest grapheme boundary, in characters. It would take too long to find the
 * graphemes of a whole line in a minified file.
 */
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

/** Number of characters on each side of a match that are masked before the cut. Every secret is shorter than this. */
const MASKED = 32 * 1024;

/** Part of a long line that must be masked before it is cut. */
export interface LongLine {
  readonly text: string;
  /** Start of the match in `text`, in characters. */
  readonly at: number;
  /** True if the line has more text before `text`. */
  readonly hasMore: boolean;
}

/**
 * Returns at most 32 Ki characters of the line on each side of the match. The result is the input for `cutMasked`. For
 * a line of at most 400 characters, returns `undefined`, because `cutLine` returns such a line unchanged.
 */
export function longLine(text: string, [start]: readonly [start: number, end: number] = [0, 0]): LongLine | undefined {
  if (text.length <= MAX_CHARACTERS) return undefined;
  const from = boundaryBefore(text, Math.max(0, start - MASKED));
  const part = text.slice(from, boundaryBefore(text, Math.min(text.length, start + MASKED)));
  // Copy the text, because a slice would keep the whole line in memory.
  return { text: Buffer.from(part).toString(), at: start - from, hasMore: from > 0 };
}

/**
 * Masks the secrets in the part. Then cuts it like `cutLine`: returns at most 400 characters around the match, with `…`
 * at each cut.
 */
export async function cutMasked(
  { text, at, hasMore }: LongLine,
  mask: (text: string) => Promise<string>,
): Promise<string> {
  const masked = await mask(text);
  const place = placeAfterMask(text, masked, at);
  const shown = cutLine(masked, [place, place]);
  return `${hasMore && !shown.startsWith('…') ? '…' : ''}${shown}`;
}

/**
 * Returns the offset in the masked text that corresponds to `at`. If there is no secret before `at`, counts from the
 * start. If there is no secret after `at`, counts from the end. Otherwise returns `at`, limited to the length of the
 * masked text.
 */
function placeAfterMask(part: string, masked: string, at: number): number {
  if (part.slice(0, at) === masked.slice(0, at)) return at;
  const after = part.length - at;
  return part.slice(at) === masked.slice(-after) ? masked.length - after : Math.min(at, masked.length);
}

/** Matches a character that ends a word. */
const BETWEEN = /[\s"'`,;(){}[\]<>|]/;

/**
 * Returns the line, or its first characters followed by `…`. The whole word at the cut is removed, because it may be a
 * secret.
 */
export function cutBeforeWord(text: string, most: number): string {
  if (text.length <= most) return text;
  let end = boundaryBefore(text, most);
  if (!BETWEEN.test(text.charAt(end))) while (end > 0 && !BETWEEN.test(text.charAt(end - 1))) end -= 1;
  return `${text.slice(0, end)}…`;
}
