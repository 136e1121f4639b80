// Nearest lines: if a text is not in a file, finds the lines of the file that are most similar to the text.

import { likeness } from '../confine/near-names.ts';
import { cutBeforeWord } from '../page/cut-line.ts';

const MAX_LINES = 20_000;
const MAX_SHOWN = 12;
const LONGEST_LINE = 300;

/** Lines of a file that are similar to a wanted text. If a line has more than 300 characters, it is cut. */
export interface NearLines {
  /** Line number in the file of the first line in `text`. The first line of a file has the number 1. */
  readonly line: number;
  readonly text: string;
  /** True if the lines differ from the wanted text only in white space. */
  readonly onlySpace: boolean;
}

/**
 * Finds the range of lines that is most similar to the wanted text. The range has as many lines as the text. Returns at
 * most 12 of these lines. If no line is similar to the first non-empty line of the text, returns `undefined`.
 */
export function nearestLines(file: string, text: string): NearLines | undefined {
  const lines = file
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)
    .slice(0, MAX_LINES);
  const wanted = text.split(/\r?\n/);
  const lead = wanted.findIndex((line) => line.trim() !== '');
  const first = wanted[lead]?.trim();
  if (first === undefined) return undefined;
  const best = bestStart(lines, wanted, lead, first);
  if (best === undefined) return undefined;
  const stretch = lines.slice(best, best + wanted.length);
  const skipped = stretch.length <= MAX_SHOWN ? 0 : sameLines(stretch, wanted);
  return {
    line: best + skipped + 1,
    text: stretch
      .slice(skipped, skipped + MAX_SHOWN)
      .map(shorten)
      .join('\n'),
    onlySpace: withoutSpace(stretch.join('\n')).includes(withoutSpace(text)),
  };
}

/**
 * Returns the number of equal lines to skip at the start of a long range. The last two equal lines before the first
 * difference are not skipped.
 */
function sameLines(stretch: readonly string[], wanted: readonly string[]): number {
  const differs = stretch.findIndex((line, i) => line !== wanted[i]);
  return Math.max(0, differs - 2);
}

/**
 * Returns the index of the first line of the most similar range, or `undefined`. The score of a range has two parts.
 * The first part is the similarity of one of its lines to `first`. The second part is 1 for each line that equals the
 * wanted line, ignoring white space at both ends.
 */
function bestStart(
  lines: readonly string[],
  wanted: readonly string[],
  lead: number,
  first: string,
): number | undefined {
  let best: { readonly start: number; readonly score: number } | undefined;
  for (const [at, line] of lines.entries()) {
    const like = likeness(first, line.trim());
    if (like < 0.5) continue;
    const start = Math.max(0, at - lead);
    const same = wanted.filter((text, i) => text.trim() !== '' && text.trim() === lines[start + i]?.trim()).length;
    const score = like + same;
    if (score > (best?.score ?? 0)) best = { start, score };
  }
  return best?.start;
}

function withoutSpace(text: string): string {
  return text.replace(/\s+/g, '');
}

function shorten(line: string): string {
  return cutBeforeWord(line, LONGEST_LINE);
}
