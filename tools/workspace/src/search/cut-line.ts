// A long line around what matched in it, cut between graphemes.

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
