// Cuts texts only between graphemes.

import { graphemeAt } from '@tidemark/model';

/** Returns the beginning of the text, at most `most` UTF-16 units. */
export function cutText(text: string, most: number): string {
  return text.length <= most ? text : text.slice(0, boundaryBefore(text, most));
}

/**
 * Returns the text around an offset as one line. It has at most `around` UTF-16 units on each side, and an ellipsis
 * where text was cut.
 */
export function excerptAround(text: string, at: number, around: number): string {
  const start = at <= around ? 0 : boundaryBefore(text, at - around);
  const end = at + around >= text.length ? text.length : boundaryBefore(text, at + around);
  const line = text.slice(start, end).replaceAll(/\s+/g, ' ').trim();
  return `${start > 0 ? '…' : ''}${line}${end < text.length ? '…' : ''}`;
}

function boundaryBefore(text: string, at: number): number {
  // Only a small window is passed to the segmenter, because it would otherwise process the whole text.
  const from = Math.max(0, at - 64);
  return from + (graphemeAt(text.slice(from, at + 64), at - from)?.index ?? at - from);
}
