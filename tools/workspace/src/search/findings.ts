// Findings of a search: stores a limited number of lines and bytes to show, and counts the matches beyond that limit.

import { defined } from '@tidemark/core';
import { showName } from '../confine/show-name.ts';
import { PAGE_BYTES } from '../page/take-page.ts';
import type { FoundLine } from './confirm-found.ts';
import { hashOf } from './confirm-found.ts';
import type { LongLine } from '../page/cut-line.ts';
import { cutLine, cutMasked, longLine } from '../page/cut-line.ts';
import type { GrepLine } from './grep-record.ts';

/** Collects lines in the order of the search. */
export interface SearchFindings {
  add(line: GrepLine): void;
  /** Counts a match if ripgrep's record of it was above 1 MiB. The text of such a line is not stored. */
  addTooLong(): void;
  /** Returns true if enough matches were counted, so the search can stop. */
  enough(): boolean;
  /** Lines to show. */
  readonly rows: readonly ShownLine[];
  /** Returns the text of the result: the number of matches, the notes, and the given rows grouped by file. */
  describe(place: string, notes: readonly string[], rows: readonly ShownLine[]): string;
}

/** A line to show. It is not longer than the maximum length. */
export interface ShownLine extends FoundLine {
  readonly line: number;
  readonly matches: boolean;
  readonly text: string;
  /**
   * Longer part of the line around the match. `maskCutRows` masks the secrets in this part and cuts it again. Absent if
   * the whole line is shown.
   */
  readonly long?: LongLine;
}

/** Returns the rows, with secrets masked in the lines that were cut. */
export async function maskCutRows(
  rows: readonly ShownLine[],
  mask: (text: string) => Promise<string>,
): Promise<readonly ShownLine[]> {
  const masked: ShownLine[] = [];
  for (const row of rows) masked.push(row.long === undefined ? row : { ...row, text: await cutMasked(row.long, mask) });
  return masked;
}

const MAX_COUNTED = 10_000;

/** Bytes of a page that are reserved for the summary and the notes. */
export const SUMMARY_BYTES: number = 2 * 1024;

/**
 * Creates empty findings.
 *
 * @param limit Maximum number of matching lines to store.
 * @param context Number of lines to show before and after each match.
 */
export function gatherFindings(limit: number, context: number): SearchFindings {
  const rows: ShownLine[] = [];
  const files = new Set<string>();
  let room = PAGE_BYTES - SUMMARY_BYTES;
  let counted = 0;
  let shown = 0;
  let tooLong = 0;
  let full = false;
  let before: ShownLine | undefined;
  let matched: GrepLine | undefined;
  const show = (line: GrepLine): void => {
    const row = rowOf(line);
    const size = Buffer.byteLength(textOf(row, before, context)) + 1;
    full = size > room;
    if (full) return;
    room -= size;
    shown += line.match === undefined ? 0 : 1;
    if (line.match !== undefined) matched = line;
    before = row;
    rows.push(row);
  };
  return {
    add(line) {
      if (line.match !== undefined) {
        counted += 1;
        files.add(line.path);
        full ||= shown >= limit;
      }
      // If a match is omitted, its context lines are omitted too.
      const belongs = shown < limit || (line.path === matched?.path && line.line <= matched.line + context);
      if (!full && belongs) show(line);
    },
    addTooLong() {
      tooLong += 1;
    },
    enough: () => counted >= MAX_COUNTED,
    rows,
    describe(place, notes, confirmed) {
      const lines = tooLong === 1 ? 'line longer than 1 MiB is' : 'lines longer than 1 MiB are';
      const gone = rows.length - confirmed.length;
      const all = [
        ...notes,
        ...(tooLong === 0 ? [] : [`${tooLong} ${lines} not shown`]),
        ...(gone === 0
          ? []
          : [`${gone} of the found lines are omitted, because the files did not contain them when read again`]),
      ];
      const count = summary({
        counted,
        shown,
        files: files.size,
        place: tooLong === 0 ? place : `the rest of ${place}`,
      });
      const texts = confirmed.map((row, at) => textOf(row, confirmed[at - 1], context));
      return [[count, ...all].map((note) => `[${note}]`).join('\n'), ...texts].join('\n');
    },
  };
}

function rowOf({ path, line, text, raw, offset, match }: GrepLine): ShownLine {
  const found = { path, offset, bytes: raw.length, digest: hashOf(raw) };
  const long = longLine(text, match);
  const shown = { line, matches: match !== undefined, text: cutLine(text, match) };
  return { ...found, ...shown, ...defined({ long }) };
}

/**
 * Returns the text of a row. Before the first row of each file, the text contains the name of the file. `--` separates
 * lines that are not adjacent.
 */
function textOf(row: ShownLine, before: ShownLine | undefined, context: number): string {
  const text = `${row.line}${row.matches ? ':' : '-'}${row.text}`;
  if (before?.path !== row.path) return `\n${showName(row.path)}\n${text}`;
  return context > 0 && row.line > before.line + 1 ? `--\n${text}` : text;
}

interface Summary {
  readonly counted: number;
  readonly shown: number;
  readonly files: number;
  readonly place: string;
}

function summary({ counted, shown, files, place }: Summary): string {
  if (counted === 0) return `no line matches in ${place}`;
  const many = counted >= MAX_COUNTED ? 'at least ' : '';
  const found = `${many}${counted} ${counted === 1 ? 'line' : 'lines'} in ${files} ${files === 1 ? 'file' : 'files'}`;
  if (shown === counted) return found;
  return `${found}, the first ${shown} are shown: use a narrower pattern, path or glob, or a higher limit`;
}
