// What a range has shown of each file: the lines that were read or written last, followed through the changes since.

import { headingOf, headingsIn } from './headings.ts';
import { namesIn } from '../base/names.ts';

/** A stretch of a file. */
export interface SeenFile {
  readonly lines: readonly string[];
  /** The number of its first line, from 1; absent where the place of the stretch is not known. */
  readonly first: number | undefined;
  /** The stretch is the whole file. */
  readonly whole: boolean;
}

/** A part of a file that gives way to another. */
export interface Hunk {
  readonly was?: string;
  readonly is: string;
  /** Every place that holds it. */
  readonly all?: boolean;
  /** It is the whole file from now on. */
  readonly whole?: boolean;
}

/** Returns the heading above a hunk; `undefined` where neither the file nor the hunk shows one. */
export function headingAbove(path: string, file: SeenFile | undefined, { was, is }: Hunk): string | undefined {
  const hunk = was ?? is;
  const start = file === undefined || was === undefined ? -1 : placeOf(file.lines.join('\n'), was);
  if (file !== undefined && start !== -1) {
    const before = file.lines.join('\n').slice(0, start).split('\n').length - 1;
    const blank = hunk.split('\n').findIndex((line) => line.trim() !== '');
    return headingOf(path, file.lines, before + Math.max(0, blank));
  }
  return headingsIn(path, hunk.split('\n'))[0]?.text;
}

/** Where a text stands that stands there once; -1 where it stands nowhere or twice. */
function placeOf(text: string, part: string): number {
  const at = text.indexOf(part);
  return at === text.lastIndexOf(part) ? at : -1;
}

/** Returns the file behind a change; `undefined` where what was seen does not hold what the change replaces. */
export function fileBehind(file: SeenFile | undefined, { was, is, all, whole }: Hunk): SeenFile | undefined {
  if (whole === true) return { lines: is.split('\n'), first: 1, whole };
  if (file === undefined || was === undefined) return undefined;
  const text = file.lines.join('\n');
  if (!text.includes(was) || (all !== true && placeOf(text, was) === -1)) return undefined;
  return { ...file, lines: (all === true ? text.replaceAll(was, () => is) : text.replace(was, () => is)).split('\n') };
}

/** The number of the line on which each name stands first, or is declared; 0 where the place of the stretch is not known. */
export function linesOfNames(path: string, { lines, first }: SeenFile): ReadonlyMap<string, number> {
  const at = (index: number): number => (first === undefined ? 0 : index + first);
  const found = new Map<string, number>();
  for (const [index, line] of lines.entries())
    for (const { name } of namesIn(line)) if (!found.has(name)) found.set(name, at(index));
  for (const { name, index } of headingsIn(path, lines).toReversed())
    if (name !== undefined) found.set(name, at(index));
  return found;
}
