// Nearest lines: finds the lines of a file that are most similar to a text that is not in the file.

import { likeness } from '../confine/near-names.ts';
import { cutBeforeWord } from '../page/cut-line.ts';

const MOST_LINES = 20_000;
const MOST_SHOWN = 12;
const LONGEST_LINE = 300;

/** Lines of the file, without any change. */
export interface NearLines {
  /** Number of the first line, starting at 1. */
  readonly line: number;
  readonly text: string;
  /** True if the lines differ from the wanted text only in white space. */
  readonly onlySpace: boolean;
}

/**
 * Returns the most similar range of lines, as long as the wanted text. Returns `undefined` if no line is similar to the
 * first non-empty line of the text.
 */
export function nearestLines(file: string, text: string): NearLines | undefined {
  const lines = file
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)
    .slice(0, MOST_LINES);
  const wanted = text.split(/\r?\n/);
  const lead = wanted.findIndex((line) => line.trim() !== '');
  const first = wanted[lead]?.trim();
  if (first === undefined) return undefined;
  const best = bestStart(lines, wanted, lead, first);
  if (best === undefined) return undefined;
  const stretch = lines.slice(best, best + wanted.length);
  const skipped = stretch.length <= MOST_SHOWN ? 0 : sameLines(stretch, wanted);
  return {
    line: best + skipped + 1,
    text: stretch
      .slice(skipped, skipped + MOST_SHOWN)
      .map(shorten)
      .join('\n'),
    onlySpace: withoutSpace(stretch.join('\n')).includes(withoutSpace(text)),
  };
}

/**
 * Returns how many lines at the start of a long range need not be shown. These are the lines that equal the wanted
 * text, except for the last two of them.
 */
function sameLines(stretch: readonly string[], wanted: readonly string[]): number {
  const differs = stretch.findIndex((line, i) => line !== wanted[i]);
  return Math.max(0, differs - 2);
}

/**
 * Returns the first line of the most similar range. Candidates begin with a line similar to `first`, and each identical
 * line that follows raises the score.
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
