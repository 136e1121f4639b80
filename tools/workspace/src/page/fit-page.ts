// Makes a page small enough that the result shows it completely. The last line of a page describes how to continue
// reading. If a result is too long, it is cut when it is committed, and this line would be lost.

import type { PageMaker } from '@tidemark/agent';
import type { PageTaker, RawPage, PageBounds } from './take-page.ts';
import { PAGE_BYTES, PAGE_LINES } from './take-page.ts';

/** Bytes reserved for the last line in brackets and for a notice of the runtime. */
const NOTES_BYTES = 512;

/**
 * Returns a page maker. The page maker returns the text that `render` creates for a page. It uses the largest page
 * whose rendered text fits into the result.
 */
export function fitPage(page: PageTaker, render: (raw: RawPage) => string): PageMaker {
  return async (room, measure) => {
    let bounds: PageBounds = { bytes: PAGE_BYTES, lines: PAGE_LINES };
    for (;;) {
      const raw = page.finish(bounds);
      const text = render(raw);
      const shown = await measure(text);
      const next = smaller(raw, { shown, room });
      if (next === undefined) return text;
      bounds = next;
    }
  };
}

/** Returns the next page bounds. If the page fits or cannot be smaller, returns `undefined`. */
function smaller(
  { bytes, lines }: RawPage,
  { shown, room }: { readonly shown: PageBounds; readonly room: PageBounds },
): PageBounds | undefined {
  const overLines = shown.lines - room.lines;
  const overBytes = shown.bytes - room.bytes;
  if (overLines <= 0 && overBytes <= 0) return undefined;
  const next = {
    lines: Math.max(1, lines - Math.max(0, overLines)),
    // The shown text can be longer than the bytes of the page. The reason is masked characters and characters shown as
    // escapes. The page shrinks in proportion.
    bytes:
      overBytes <= 0
        ? bytes.length
        : Math.max(1, Math.floor((bytes.length * Math.max(0, room.bytes - NOTES_BYTES)) / shown.bytes)),
  };
  return next.lines < lines || next.bytes < bytes.length ? next : undefined;
}
