// One page out of a stream of bytes: counts every line, keeps no more than the largest page. A line that is longer than a page can
// be read on by bytes, so nothing is out of reach (L6).

import { graphemesOf } from '@tidemark/model';

/** How much of a text a page may hold at most. A result may have less room: `fitPage` then takes a smaller page. */
export interface PageBounds {
  readonly bytes: number;
  readonly lines: number;
}

/** Most bytes of a page. A result may have 50 KiB. */
export const PAGE_BYTES: number = 48 * 1024;

/** Most lines of a page, the last line in brackets included. */
export const PAGE_LINES = 2_000;

/** Which lines. */
export interface PageRequest {
  /** The first line, from 1. */
  readonly offset: number;
  readonly limit: number;
  /** Bytes of that first line to leave out. */
  readonly skipBytes: number;
}

/** The bytes of a page, and what lies around it. */
export interface RawPage {
  readonly request: PageRequest;
  /** Whole lines with their ends; the last one may have none. Or the beginning of one line, when `cut`. */
  readonly bytes: Buffer;
  /** Lines of the page, a cut one included. */
  readonly lines: number;
  /** Lines of the whole. */
  readonly total: number;
  /** The one line is longer than the page. */
  readonly cut: boolean;
  /** Bytes of the whole, where it was not read to its end: `total` is a lower bound then. */
  readonly wholeBytes?: bigint;
}

/** Takes the whole, chunk by chunk. */
export interface PageTaker {
  take(chunk: Uint8Array): void;
  /** Returns true once the rest of the whole cannot change the bytes of the page. */
  full(): boolean;
  /** Returns the page within the bounds, at most the largest page. It may be called again with smaller bounds. */
  finish(bounds?: PageBounds): RawPage;
}

const LARGEST: PageBounds = { bytes: PAGE_BYTES, lines: PAGE_LINES };

const NEWLINE = 10;

/** Begins at the beginning of the whole. */
export function startPage(request: PageRequest): PageTaker {
  const before = request.offset - 1;
  const behind = before + request.limit;
  const keeper = startKeeping(request.skipBytes);
  let newlines = 0;
  let last = NEWLINE;
  return {
    take(chunk) {
      if (chunk.length === 0) return;
      let start = newlines >= before ? 0 : chunk.length;
      let end = newlines >= behind ? 0 : chunk.length;
      for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, at + 1)) {
        newlines += 1;
        if (newlines === before) start = at + 1;
        if (newlines === behind) end = at + 1;
      }
      last = chunk.at(-1) ?? last;
      if (start < end) keeper.keep(chunk.subarray(start, end));
    },
    full: () => newlines >= behind || keeper.full(),
    finish: (bounds = LARGEST) => ({
      request,
      total: last === NEWLINE ? newlines : newlines + 1,
      ...pageIn(keeper.kept(), bounds),
    }),
  };
}

/** Keeps one byte more than a page, to know that there is more. */
function startKeeping(skipBytes: number): { keep(part: Uint8Array): void; full(): boolean; kept(): Buffer } {
  const parts: Uint8Array[] = [];
  let room = PAGE_BYTES + 1;
  let skip = skipBytes;
  return {
    keep(part) {
      const newline = part.indexOf(NEWLINE);
      const left = Math.min(skip, newline === -1 ? part.length : newline);
      skip = newline === -1 ? skip - left : 0;
      // A copy: whoever reads may read into the same bytes again.
      const kept = Buffer.from(part.subarray(left, left + room));
      room -= kept.length;
      if (kept.length > 0) parts.push(kept);
    },
    full: () => room === 0,
    kept: () => Buffer.concat(parts),
  };
}

function pageIn(kept: Buffer, bounds: PageBounds): Pick<RawPage, 'bytes' | 'lines' | 'cut'> {
  const lines = kept.subarray(0, endOfLine(kept, bounds.lines));
  if (lines.length <= bounds.bytes) return { bytes: lines, lines: linesIn(lines), cut: false };
  const end = lines.lastIndexOf(NEWLINE, bounds.bytes - 1) + 1;
  if (end > 0) return { bytes: lines.subarray(0, end), lines: linesIn(lines.subarray(0, end)), cut: false };
  return { bytes: beforeGrapheme(lines.subarray(0, bounds.bytes)), lines: 1, cut: true };
}

/** Where so many lines end. */
function endOfLine(bytes: Buffer, lines: number): number {
  let end = 0;
  for (let line = 0; line < lines; line += 1) {
    const newline = bytes.indexOf(NEWLINE, end);
    if (newline === -1) return bytes.length;
    end = newline + 1;
  }
  return end;
}

function linesIn(bytes: Buffer): number {
  let lines = 0;
  for (let at = bytes.indexOf(NEWLINE); at !== -1; at = bytes.indexOf(NEWLINE, at + 1)) lines += 1;
  return bytes.length === 0 || bytes.at(-1) === NEWLINE ? lines : lines + 1;
}

/** Bytes that hold any one grapheme but the absurd. */
const LONGEST_GRAPHEME = 256;

/** Without the last grapheme: what was cut off may belong to it. Bytes that are no UTF-8 are cut where they are. */
function beforeGrapheme(bytes: Buffer): Buffer {
  let from = Math.max(0, bytes.length - LONGEST_GRAPHEME);
  while (from > 0 && isInside(bytes[from])) from -= 1;
  let to = bytes.length;
  while (to > from && isInside(bytes[to - 1])) to -= 1;
  const text = bytes.toString('utf8', from, to > from ? to - 1 : bytes.length);
  const last = [...graphemesOf(text)].at(-1);
  const end = from + Buffer.byteLength(text.slice(0, last?.index ?? 0));
  return end > from && !text.includes('\uFFFD') ? bytes.subarray(0, end) : bytes;
}

/** A byte that continues a character of UTF-8. */
function isInside(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}
