// Pages of a long text. An offset counts the characters of the text (UTF-16 units), so that a text with very long lines
// can be read too. A page ends after a line if possible, and never inside a visible character.

import type { PageMaker, ResultRoom } from '@tidemark/agent';
import { graphemesOf } from '@tidemark/model';

import { WebError } from '../web-error.ts';

/** Maximum number of characters of a page. */
const MOST = 48 * 1024;

/** A text, and the lines around its page. */
export interface PagedText {
  readonly text: string;
  /** Offset of the first character of the page. */
  readonly from: number;
  /** First line of the result, which describes the source. */
  readonly head: string;
  /** Notes for the last line of the result. */
  readonly notes: readonly string[];
}

/**
 * Returns a page maker. It uses the largest page that fits into the result. The last line, in brackets, tells how to
 * read on.
 *
 * @throws WebError `web/past-the-end` when the offset is after the end of the text.
 */
export function textPage(paged: PagedText): PageMaker {
  const { text, from } = paged;
  if (from > 0 && from >= text.length)
    throw new WebError(
      'web/past-the-end',
      `The text has ${text.length} characters, and ${from} is after its end. Call again with a smaller value of from.`,
      { from, length: text.length },
    );
  return async (room, measure) => {
    let size = Math.min(text.length - from, MOST);
    for (;;) {
      const page = render(paged, endOf(text, from, size));
      const next = smaller(size, await measure(page), room);
      if (next === undefined) return page;
      size = next;
    }
  };
}

/** Returns the next size of the page. If the page fits or cannot be smaller, returns `undefined`. */
function smaller(size: number, shown: ResultRoom, room: ResultRoom): number | undefined {
  const share = Math.min(1, (room.bytes - NOTES_BYTES) / shown.bytes, room.lines / shown.lines);
  if (shown.bytes <= room.bytes && shown.lines <= room.lines) return undefined;
  const next = Math.max(1, Math.min(size - 1, Math.floor(size * Math.max(0, share))));
  return next < size ? next : undefined;
}

/** Bytes reserved for the first and the last line. */
const NOTES_BYTES = 512;

function render({ text, from, head, notes }: PagedText, end: number): string {
  const part = text.slice(from, end);
  const extent =
    from === 0 && end === text.length
      ? []
      : [`characters ${from} to ${end} of ${text.length}`, ...(end < text.length ? [`read on with from ${end}`] : [])];
  const all = [...extent, ...notes];
  const gap = part === '' || part.endsWith('\n') ? '' : '\n';
  return `${head}\n${part}${all.length === 0 ? '' : `${gap}[${all.join('; ')}]`}`;
}

/** Returns the offset after the page: after the last line end in its second half, otherwise before a character. */
function endOf(text: string, from: number, size: number): number {
  const end = from + size;
  if (end >= text.length) return text.length;
  const line = text.lastIndexOf('\n', end - 1) + 1;
  if (line > from + size / 2) return line;
  return beforeGrapheme(text, from, end);
}

/** Number of UTF-16 units. Every realistic visible character is shorter. */
const LONGEST_GRAPHEME = 64;

/** Returns the offset before the visible character that contains `end`, or `end` if it is between two of them. */
function beforeGrapheme(text: string, from: number, end: number): number {
  let start = Math.max(from, end - LONGEST_GRAPHEME);
  if (start > from && /[\uDC00-\uDFFF]/.test(text.charAt(start))) start -= 1;
  for (const { index, segment } of graphemesOf(text.slice(start, end + LONGEST_GRAPHEME))) {
    const [first, last] = [start + index, start + index + segment.length];
    if (first < end && end < last) return first > from ? first : end;
    if (last >= end) return end;
  }
  return end;
}
