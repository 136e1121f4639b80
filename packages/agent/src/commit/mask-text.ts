// Masks text that comes in pieces. It is read in windows whose places follow from the text alone, so that it makes no
// difference where the pieces were cut; each window reaches further than any secret is long.

import { findShapes, LONGEST_SHAPE } from './find-shapes.ts';
import { PLACEHOLDER, placeholderOf } from './placeholder.ts';
import { formsOf } from './secret-forms.ts';
import type { SecretValue } from './secret-names.ts';

/** Takes a text piece by piece, and gives it back masked. */
export interface Masker {
  push(text: string): Promise<string>;
  end(): Promise<string>;
}

/** What a masker looks for. */
export interface Sought {
  /** The forms of the values, the longest first; `undefined` when there are none. */
  readonly forms: RegExp | undefined;
  readonly names: ReadonlyMap<string, string>;
  /** Characters that the longest secret has. */
  readonly reach: number;
  /** Characters of a window: four times the reach at least. */
  readonly window: number;
}

/** A part of a text that is replaced. */
interface Hit {
  /** Where that begins by which it was found, such as a name before it. */
  readonly from: number;
  readonly start: number;
  readonly end: number;
  readonly by: string;
}

const WINDOW = 8;

/** Looks for these values in all their forms, and for tokens of well-known shapes. */
export function soughtIn(values: readonly SecretValue[]): Sought {
  const names = new Map<string, string>();
  for (const { name, value } of values) {
    for (const form of formsOf(value)) if (!names.has(form)) names.set(form, name);
  }
  const forms = [...names.keys()].toSorted((a, b) => b.length - a.length);
  const reach = Math.max(LONGEST_SHAPE, forms[0]?.length ?? 0);
  return {
    forms: forms.length === 0 ? undefined : new RegExp(forms.map(literal).join('|'), 'g'),
    names,
    reach,
    window: WINDOW * reach,
  };
}

function literal(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`);
}

/** A masker at the beginning of a text. What it holds back is at most a window. */
export function createMasker(sought: Sought): Masker {
  const { window, reach } = sought;
  let pending = '';
  let withinLine = false;
  const take = async (text: string, cut: number): Promise<string> => {
    const found = await hitsIn(text, sought, withinLine);
    // A secret whose name stands before the cut goes with its name: behind the cut it would have none.
    const end = Math.max(cut, ...found.map((hit) => (hit.from < cut ? hit.end : 0)));
    const hits = found.filter(({ start }) => start < end);
    pending = pending.slice(end);
    withinLine = !text.slice(0, end).endsWith('\n');
    return replaced(text.slice(0, end), hits);
  };
  return {
    async push(text) {
      pending += text;
      let masked = '';
      while (pending.length >= window) {
        const seen = pending.slice(0, window);
        masked += await take(seen, cutIn(seen, reach));
      }
      return masked;
    },
    end: () => take(pending, pending.length),
  };
}

/** Where a window ends for good: behind a line, else behind a character of no word, with more than a secret left behind it. */
function cutIn(text: string, reach: number): number {
  const from = text.length - 2 * reach;
  const zone = text.slice(from, -reach);
  const line = zone.lastIndexOf('\n');
  if (line !== -1) return from + line + 1;
  const word = /^[^]*[\0-\x2f\x3a-\x40]/.exec(zone);
  if (word !== null) return from + word[0].length;
  return /^[\uDC00-\uDFFF]/.test(zone) ? from + 1 : from;
}

/** What is replaced, in order and apart. A placeholder is left as it is, and divides what is searched: masking twice changes nothing. */
async function hitsIn(text: string, sought: Sought, withinLine: boolean): Promise<readonly Hit[]> {
  const kept = matches(text, 0, text.length, PLACEHOLDER, (found) => found);
  const values = gaps(text, kept).flatMap(([start, end]) =>
    sought.forms === undefined
      ? []
      : matches(text, start, end, sought.forms, (found) => placeholderOf(sought.names.get(found) ?? '')),
  );
  const known = inOrder([...kept, ...values]);
  const shapes: Hit[] = [];
  for (const [start, end] of gaps(text, known))
    shapes.push(...(await shapesIn(text, start, end, start > 0 || withinLine)));
  return inOrder([...known, ...shapes]);
}

function matches(
  text: string,
  start: number,
  end: number,
  pattern: RegExp,
  by: (found: string) => string,
): readonly Hit[] {
  return [...text.slice(start, end).matchAll(pattern)].map(({ 0: found, index }) => ({
    from: start + index,
    start: start + index,
    end: start + index + found.length,
    by: by(found),
  }));
}

/** Each gap is searched once more on its own: what stood behind it may have hidden a token. */
async function shapesIn(text: string, from: number, to: number, withinLine: boolean): Promise<readonly Hit[]> {
  const hits = (await findShapes(text.slice(from, to), withinLine)).map((shape) => ({
    from: from + shape.from,
    start: from + shape.start,
    end: from + shape.end,
    by: placeholderOf(shape.name),
  }));
  if (hits.length === 0) return [];
  const between: Hit[] = [];
  for (const [start, end] of gaps(text, hits, from, to))
    between.push(...(await shapesIn(text, start, end, start > from || withinLine)));
  return inOrder([...hits, ...between]);
}

function gaps(text: string, hits: readonly Hit[], from = 0, to = text.length): readonly (readonly [number, number])[] {
  const starts = [from, ...hits.map(({ end }) => end)];
  const ends = [...hits.map(({ start }) => start), to];
  return starts
    .map((start, index): readonly [number, number] => [start, ends[index] ?? to])
    .filter(([start, end]) => start < end);
}

function inOrder(hits: readonly Hit[]): readonly Hit[] {
  return hits.toSorted((a, b) => a.start - b.start);
}

function replaced(text: string, hits: readonly Hit[]): string {
  let masked = '';
  let last = 0;
  for (const { start, end, by } of hits) {
    masked += text.slice(last, start) + by;
    last = end;
  }
  return masked + text.slice(last);
}
