// The largest page that a result shows whole. The last line of a page says how to read on: were the page cut again when the
// result is committed, that line would be lost.

import type { PageMaker } from '@tidemark/agent';
import type { PageTaker, RawPage, PageBounds } from './take-page.ts';
import { PAGE_BYTES, PAGE_LINES } from './take-page.ts';

/** Bytes that the last line in brackets and a notice of the runtime may take. */
const NOTES_BYTES = 512;

/** Returns the page, with what `render` adds to it, as the text of a result. */
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

/** The bounds to try next; `undefined` where the page fits, or cannot be smaller. */
function smaller(
  { bytes, lines }: RawPage,
  { shown, room }: { readonly shown: PageBounds; readonly room: PageBounds },
): PageBounds | undefined {
  const overLines = shown.lines - room.lines;
  const overBytes = shown.bytes - room.bytes;
  if (overLines <= 0 && overBytes <= 0) return undefined;
  const next = {
    lines: Math.max(1, lines - Math.max(0, overLines)),
    // Masked or drawn characters make the shown text longer than its bytes: the page shrinks in proportion.
    bytes:
      overBytes <= 0
        ? bytes.length
        : Math.max(1, Math.floor((bytes.length * Math.max(0, room.bytes - NOTES_BYTES)) / shown.bytes)),
  };
  return next.lines < lines || next.bytes < bytes.length ? next : undefined;
}
