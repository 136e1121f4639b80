// Pieces of a text that end between graphemes.

import { graphemeAt } from '@tidemark/model';

/** Its first UTF-16 units, at most so many. */
export function cutText(text: string, most: number): string {
  return text.length <= most ? text : text.slice(0, boundaryBefore(text, most));
}

/** What stands around a place, in one line, with dots where something is left out. */
export function excerptAround(text: string, at: number, around: number): string {
  const start = at <= around ? 0 : boundaryBefore(text, at - around);
  const end = at + around >= text.length ? text.length : boundaryBefore(text, at + around);
  const line = text.slice(start, end).replaceAll(/\s+/g, ' ').trim();
  return `${start > 0 ? '…' : ''}${line}${end < text.length ? '…' : ''}`;
}

function boundaryBefore(text: string, at: number): number {
  // A window: the segmenter would look at the whole text.
  const from = Math.max(0, at - 64);
  return from + (graphemeAt(text.slice(from, at + 64), at - from)?.index ?? at - from);
}
