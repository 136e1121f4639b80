// Masks a text that a person watches while it arrives. It searches the same secrets as the mask of the log. It returns
// whole lines and progress early, so it does not wait for a whole window. Text that may become a part of a secret is
// held back.

import type { LiveMask, LivePiece } from '../ports/secrets.ts';
import type { Hit, Sought } from './mask-text.ts';
import { hitsIn, replaceHits } from './mask-text.ts';
import { progressEnd } from './progress-text.ts';

/** Maximum length of one piece, in characters. */
const LONGEST_PIECE = 16_384;

/** Number of characters that are held back after the beginning of a private key without an end. Every key is shorter. */
const LONGEST_KEY = 16_384;
const KEY_BEGIN = /BEGIN(?:[ +]|%20)?(?:[A-Z0-9]{1,16}(?:[ +]|%20)){0,4}PRIVATE(?:[ +]|%20)KEY/gi;
const KEY_END = /END(?:[ +]|%20)?(?:[A-Z0-9]{1,16}(?:[ +]|%20)){0,4}PRIVATE(?:[ +]|%20)KEY/i;

/** Part of the text that is kept. Offsets count characters from the beginning of the whole text. */
interface KeptText {
  readonly text: string;
  /** Offset of the first character of `text`. */
  readonly base: number;
  /** Offset after the last character that was returned or omitted. */
  readonly shown: number;
}

/** Creates the mask of one text. */
export function createLiveMask(sought: Sought): LiveMask {
  const { reach } = sought;
  const most = 8 * reach;
  const openings = openingsOf(sought);
  let kept: KeptText = { text: '', base: 0, shown: 0 };
  return {
    push(more) {
      kept = { ...kept, text: kept.text + more };
      if (kept.text.length > most) kept = dropBefore(kept, kept.base + kept.text.length - most / 2);
    },
    async take() {
      const { text, base, shown } = kept;
      const from = shown >= base ? shown - base : reach;
      const wanted = cutOf(text, { from, reach, openings, forms: sought.names.keys() });
      if (wanted <= from) return NOTHING;
      const hits = await hitsAround(text, { base, from, sought });
      const isFull = text.length - from > 2 * reach;
      const cut = outsideHits(wanted, hits, isFull ? 'end' : 'start');
      if (cut <= from) return NOTHING;
      const begin = outsideHits(beginOf(text, from, cut), hits, 'end');
      kept = dropBefore({ ...kept, shown: base + cut }, base + cut - reach);
      const inside = hits.filter(({ start, end }) => start >= begin && end <= cut).map((hit) => moveHit(hit, -begin));
      return { text: replaceHits(text.slice(begin, cut), inside).toWellFormed(), omitted: base + begin - shown };
    },
  };
}

const NOTHING: LivePiece = { text: '', omitted: 0 };

/** Searches the text that was not shown, together with enough text before it. */
async function hitsAround(
  text: string,
  { base, from, sought }: { readonly base: number; readonly from: number; readonly sought: Sought },
): Promise<readonly Hit[]> {
  const start = Math.max(0, from - sought.reach);
  const isWithinLine = base + start > 0 && text[start - 1] !== '\n';
  return (await hitsIn(text.slice(start), sought, isWithinLine)).map((hit) => moveHit(hit, start));
}

export function moveHit(hit: Hit, by: number): Hit {
  return { ...hit, from: hit.from + by, start: hit.start + by, end: hit.end + by };
}

/** Drops the text before an offset. The rest still contains every character that was not shown, or enough of them. */
function dropBefore({ text, base, shown }: KeptText, offset: number): KeptText {
  return offset <= base ? { text, base, shown } : { text: text.slice(offset - base), base: offset, shown };
}

interface CutOptions {
  readonly from: number;
  readonly reach: number;
  readonly openings: readonly string[];
  /** Every form of the known secrets. */
  readonly forms: Iterable<string>;
}

/**
 * Returns the offset before which the text can be shown: after the last line end and progress on the line after it, and
 * not inside a key or a secret of several lines that has only begun. A very long line is cut at a distance from its end
 * that no secret exceeds.
 */
function cutOf(text: string, { from, reach, openings, forms }: CutOptions): number {
  const end = lastLineEnd(text);
  const isLong = end <= from && text.length - from > 2 * reach;
  if (isLong) return text.length - reach;
  const key = openKey(text.slice(0, end), Math.max(0, from - reach));
  const cut = Math.min(end, key ?? end);
  const opening = openings.find((one) => one.length <= cut && text.startsWith(one, cut - one.length));
  // The text before the opening on its line can belong to another secret that ends where this one begins.
  const shown = opening === undefined ? cut : text.slice(0, cut - opening.length).lastIndexOf('\n') + 1;
  // After a line that is held back, the next line is held back too.
  return shown < end ? shown : progressEnd(text, end, forms);
}

/** Returns the offset after the last line end. A carriage return at the end of the text may belong to a line feed. */
function lastLineEnd(text: string): number {
  return Math.max(text.lastIndexOf('\n'), text.lastIndexOf('\r', text.length - 2)) + 1;
}

/** Returns the offset of the line on which a private key begins, if the text does not contain the end of the key. */
export function openKey(text: string, from: number): number | undefined {
  if (!/PRIVATE/i.test(text)) return undefined;
  for (const { index } of text.slice(from).matchAll(KEY_BEGIN)) {
    const at = from + index;
    if (text.length - at < LONGEST_KEY && !KEY_END.test(text.slice(at))) return text.lastIndexOf('\n', at) + 1;
  }
  return undefined;
}

/** Moves an offset that is inside a secret to the start or the end of the secret. */
export function outsideHits(offset: number, hits: readonly Hit[], to: 'start' | 'end'): number {
  const hit = hits.find(({ start, end }) => start < offset && offset < end);
  return hit === undefined ? offset : hit[to];
}

/** Returns the offset at which the piece begins. If the piece is too long, it begins at a later line. */
function beginOf(text: string, from: number, cut: number): number {
  if (cut - from <= LONGEST_PIECE) return from;
  const least = cut - LONGEST_PIECE;
  const line = text.indexOf('\n', least) + 1;
  return line > 0 && line < cut ? line : least;
}

/**
 * Returns the beginnings of secrets with several lines, longest first. Each beginning ends at a line end inside the
 * secret.
 */
export function openingsOf({ names }: Sought): readonly string[] {
  return [...names.keys()]
    .flatMap((form) => [...form.matchAll(/[\r\n]/g)].map(({ index }) => form.slice(0, index + 1)))
    .toSorted((a, b) => b.length - a.length);
}
