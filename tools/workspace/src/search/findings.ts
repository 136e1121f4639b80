// What a search found, as it will be shown: bounded in lines and bytes, and counted beyond.

import { defined } from '@tidemark/core';
import { showName } from '../confine/show-name.ts';
import { PAGE_BYTES } from '../page/take-page.ts';
import type { FoundLine } from './confirm-found.ts';
import { hashOf } from './confirm-found.ts';
import type { LongLine } from '../page/cut-line.ts';
import { cutLine, cutMasked, longLine } from '../page/cut-line.ts';
import type { GrepLine } from './grep-record.ts';

/** Gathers lines in the order of a search. */
export interface SearchFindings {
  add(line: GrepLine): void;
  /** A line whose record was above 1 MiB. */
  addTooLong(): void;
  /** Counting on is no use. */
  enough(): boolean;
  /** The lines to show. */
  readonly rows: readonly ShownLine[];
  /** The count, those of the lines to show that are given, by file, and what else there is to say. */
  describe(place: string, notes: readonly string[], rows: readonly ShownLine[]): string;
}

/** A line to show, cut to its room. */
export interface ShownLine extends FoundLine {
  readonly line: number;
  readonly matches: boolean;
  readonly text: string;
  /** The line before it was cut. Absent where it is shown whole. */
  readonly long?: LongLine;
}

/** Returns the rows with secrets masked in lines that were cut. */
export async function maskCutRows(
  rows: readonly ShownLine[],
  mask: (text: string) => Promise<string>,
): Promise<readonly ShownLine[]> {
  const masked: ShownLine[] = [];
  for (const row of rows) masked.push(row.long === undefined ? row : { ...row, text: await cutMasked(row.long, mask) });
  return masked;
}

/** As far as is counted. */
const MOST_COUNTED = 10_000;

/** What the summary and the notes may take of a page. */
const SUMMARY_BYTES = 2 * 1024;

/** @param limit Matching lines to keep. @param context Lines that stand around each. */
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
      // What stands around the first line left out is not shown either.
      const belongs = shown < limit || (line.path === matched?.path && line.line <= matched.line + context);
      if (!full && belongs) show(line);
    },
    addTooLong() {
      tooLong += 1;
    },
    enough: () => counted >= MOST_COUNTED,
    rows,
    describe(place, notes, confirmed) {
      const lines = tooLong === 1 ? 'line above 1 MiB is' : 'lines above 1 MiB are';
      const gone = rows.length - confirmed.length;
      const all = [
        ...notes,
        ...(tooLong === 0 ? [] : [`${tooLong} ${lines} not shown`]),
        ...(gone === 0 ? [] : [`${gone} of the lines to show left out: they were not there when looked at again`]),
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

/** A file's name stands above its lines; `--` stands where lines between are left out. */
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
  const many = counted >= MOST_COUNTED ? 'at least ' : '';
  const found = `${many}${counted} ${counted === 1 ? 'line' : 'lines'} in ${files} ${files === 1 ? 'file' : 'files'}`;
  if (shown === counted) return found;
  return `${found}, the first ${shown} shown: narrow pattern, path or glob, or set limit`;
}
