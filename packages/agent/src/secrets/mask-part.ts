// Masks a part of a text that is kept in memory, such as the new output of a running program. The text around the part
// is searched too, so a secret that crosses the border of the part is found.

import type { MaskedPart, MaskRange } from '../ports/secrets.ts';
import { openKey, openingsOf, moveHit, outsideHits } from './live-mask.ts';
import type { Sought } from './mask-text.ts';
import { hitsIn, replaceHits } from './mask-text.ts';

/** Returns a part of a text with its secrets masked. See `Secrets.maskPart`. */
export async function maskPartOf(text: string, part: MaskRange, sought: Sought): Promise<MaskedPart> {
  const { from, to = text.length, isOpen = false } = part;
  const wanted = isOpen ? Math.min(to, heldFrom(text, from, sought)) : to;
  const hits = await hitsIn(text, sought, false);
  const begin = outsideHits(from, hits, 'end');
  const end = Math.max(begin, outsideHits(wanted, hits, 'start'));
  const inside = hits.filter((hit) => hit.start >= begin && hit.end <= end).map((hit) => moveHit(hit, -begin));
  return { text: replaceHits(text.slice(begin, end), inside).toWellFormed(), end };
}

/** Shortest beginning of a secret that is held back. Fewer characters say little, and many texts end with them. */
const SHORTEST_BEGINNING = 4;

/**
 * Returns the offset from which the text may become a part of a secret: the beginning of a private key or of a known
 * value. Without such a beginning, returns the length of the text.
 */
function heldFrom(text: string, from: number, sought: Sought): number {
  const key = openKey(text, Math.max(0, from - sought.reach)) ?? text.length;
  const opening = openingsOf(sought).find((one) => text.endsWith(one));
  const begun = Math.max(0, ...[...sought.names.keys()].map((form) => begunLength(text, form)));
  return Math.min(key, text.length - (opening?.length ?? 0), text.length - begun);
}

/** Returns the length of the longest beginning of the form with which the text ends, or 0. */
function begunLength(text: string, form: string): number {
  for (let length = Math.min(form.length - 1, text.length); length >= SHORTEST_BEGINNING; length -= 1)
    if (text.endsWith(form.slice(0, length))) return length;
  return 0;
}
