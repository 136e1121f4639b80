// Splits a file of `opencode export` into rows, one per line. The file is one JSON document with an object `info` and a
// list of messages, each with an `info` and its `parts`. Only one row is in memory at a time.

import { isTooDeep } from '@tidemark/log';
import type { Json } from '@tidemark/log';
import { readLines } from '../file/read-lines.ts';
import type { FileLine } from '../file/read-lines.ts';
import { printOpenCodeRow } from './opencode-row.ts';

const HEAD = /^\uFEFF?\s*\{\s*"info"\s*:\s*\{/;

/** True if a file starts like a file of `opencode export`. */
export function isExport(start: string): boolean {
  return HEAD.test(start);
}

/** Yields the rows of an exported file as lines. A damaged row is yielded as it is, so that the import reports it. */
export async function* exportRows(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const scan: Scan = { stack: [], pieces: undefined, held: 0, depth: 0, isLost: false, rows: [] };
  for await (const lines of readLines(chunks)) {
    for (const line of lines) scanLine(scan, line);
    yield* takeRows(scan);
  }
  tear(scan);
  yield* takeRows(scan);
}

interface Scan {
  /** Open brackets of the document, from the outside. */
  stack: ('{' | '[')[];
  /** Text of the unfinished row. */
  pieces: string[] | undefined;
  /** Number of characters in `pieces`. */
  held: number;
  /** Number of open brackets around the unfinished row. */
  depth: number;
  /** True after damage, until the next line that shows a known place of the document. */
  isLost: boolean;
  rows: string[];
}

function* takeRows(scan: Scan): Generator<Uint8Array> {
  if (scan.rows.length === 0) return;
  yield Buffer.from(`${scan.rows.join('\n')}\n`);
  scan.rows = [];
}

// The client indents the document with two spaces. No line inside a message or a part has these forms, because a string
// contains no line break. So the scan finds its place again after damage.
const PART_START = /^ {8}\{$/;
const MESSAGE_START = /^ {6}"info": \{$/;

function scanLine(scan: Scan, line: FileLine): void {
  if ('reason' in line) {
    loseTrack(scan);
    return;
  }
  const { text } = line;
  const place = placeOf(text);
  if (place !== undefined && (scan.pieces === undefined || scan.depth > 1)) {
    tear(scan);
    scan.stack = place;
    scan.isLost = false;
  }
  if (!scan.isLost) scanText(scan, text);
}

function placeOf(text: string): Scan['stack'] | undefined {
  if (PART_START.test(text)) return ['{', '[', '{', '['];
  return MESSAGE_START.test(text) ? ['{', '[', '{'] : undefined;
}

const MARK = /["{}[\]]/g;

function scanText(scan: Scan, text: string): void {
  // Start of the piece of the unfinished row in this line.
  let start = 0;
  for (let at = nextMark(text, 0); at !== -1; at = nextMark(text, at + 1)) {
    const mark = text[at];
    if (mark === '"') {
      at = closingQuote(text, at);
      if (at === text.length) {
        hold(scan, text.slice(start));
        loseTrack(scan);
        return;
      }
    } else if (mark === '{' || mark === '[') {
      if (opensRow(scan, mark)) start = at;
      scan.stack.push(mark);
    } else {
      scan.stack.pop();
      if (scan.stack.length <= scan.depth) endRow(scan, text.slice(start, at + 1));
    }
  }
  hold(scan, text.slice(start));
}

function nextMark(text: string, from: number): number {
  MARK.lastIndex = from;
  return MARK.exec(text)?.index ?? -1;
}

/** Returns the index of the closing quote of a string, or the length of the text if the string is not closed. */
function closingQuote(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let before = end - 1;
    while (text[before] === '\\') before -= 1;
    if ((end - before) % 2 === 1) return end;
  }
  return text.length;
}

// Rows are the `info` of the document, the `info` of each message, and each part.
function opensRow(scan: Scan, mark: '{' | '['): boolean {
  const { length } = scan.stack;
  const isRow = length === 1 || length === 3 || (length === 4 && scan.stack[3] === '[');
  if (scan.pieces !== undefined || mark !== '{' || !isRow) return false;
  scan.pieces = [];
  scan.held = 0;
  scan.depth = length;
  return true;
}

/** Maximum size of a row, in characters. The import skips longer lines. */
const LONGEST_ROW = 64 * 1024 * 1024;

function hold(scan: Scan, piece: string): void {
  if (scan.pieces === undefined) return;
  scan.pieces.push(piece);
  scan.held += piece.length;
  if (scan.held > LONGEST_ROW) loseTrack(scan);
}

function endRow(scan: Scan, piece: string): void {
  if (scan.pieces === undefined) return;
  const text = [...scan.pieces, piece].join('');
  scan.pieces = undefined;
  scan.rows.push(printRowText(text));
}

function loseTrack(scan: Scan): void {
  tear(scan);
  scan.isLost = true;
}

/** Ends the unfinished row where the damage begins. */
function tear(scan: Scan): void {
  if (scan.pieces !== undefined) scan.rows.push(scan.pieces.join(''));
  scan.pieces = undefined;
}

/** Returns a row as one line. A text that is not one JSON value only loses its line breaks. */
export function printRowText(text: string): string {
  try {
    if (!isTooDeep(text)) {
      const value: Json = JSON.parse(text);
      return printOpenCodeRow(value);
    }
  } catch {
    // The import reports the line with its reason.
  }
  return text.replaceAll(/[\r\n]+/g, ' ');
}
