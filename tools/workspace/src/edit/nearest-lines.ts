// What a text that is not in a file was most likely meant to be: the stretch of lines most like it.

import { likeness } from '../confine/near-names.ts';
import { cutBeforeWord } from '../page/cut-line.ts';

const MOST_LINES = 20_000;
const MOST_SHOWN = 12;
const LONGEST_LINE = 300;

/** Lines of the file, as they stand. */
export interface NearLines {
  /** The 1-based first line. */
  readonly line: number;
  readonly text: string;
  /** They differ from what was looked for in white space alone. */
  readonly onlySpace: boolean;
}

/** The nearest stretch as long as the text; `undefined` when no line of the file is like its first words. */
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

/** Lines that a long stretch begins with and that need not be shown: those that are the same, but for the last two. */
function sameLines(stretch: readonly string[], wanted: readonly string[]): number {
  const differs = stretch.findIndex((line, i) => line !== wanted[i]);
  return Math.max(0, differs - 2);
}

/** Goes by the first words, and among equals by the lines behind them. */
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
