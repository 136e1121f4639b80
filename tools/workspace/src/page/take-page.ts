// Takes one page from a stream of bytes. Counts every line, but stores at most one page in memory. If a line is longer
// than a page, it can be read in parts, by byte offset. Therefore all text can be read (L6).

import { graphemesOf } from '@tidemark/model';

/** Maximum size of a page. If the result has less free space, `fitPage` takes a smaller page. */
export interface PageBounds {
  readonly bytes: number;
  readonly lines: number;
}

/** Maximum number of bytes in a page. It is below 50 KiB, the maximum size of a result. */
export const PAGE_BYTES: number = 48 * 1024;

/** Maximum number of lines in a page. In a result, the last line in brackets counts too. */
export const PAGE_LINES = 2_000;

/** Lines to read. */
export interface PageRequest {
  /** Number of the first line, starting at 1. */
  readonly offset: number;
  readonly limit: number;
  /** Number of bytes to skip in the first line. */
  readonly skipBytes: number;
}

/** Bytes of a page and the data needed to describe it. */
export interface RawPage {
  readonly request: PageRequest;
  /**
   * Bytes of the page: whole lines with their line ends. The last line of the text may have no line end. If `cut` is
   * true, the bytes are only a part of a single line.
   */
  readonly bytes: Buffer;
  /** Index of the first byte of the page in the whole text. */
  readonly start: number;
  /** Number of bytes that were taken. It is the size of the whole text if the text was taken to its end. */
  readonly taken: number;
  /** Number of lines in the page, including a cut line. */
  readonly lines: number;
  /** Number of lines in the whole text. */
  readonly total: number;
  /** True if the page contains only a part of a single line, because the line is longer than the page. */
  readonly cut: boolean;
  /**
   * Size of the whole text in bytes. Set only if the text was not read to its end. In that case, `total` is a lower
   * bound.
   */
  readonly wholeBytes?: bigint;
}

/** Receives the whole text, chunk by chunk, and returns one page of it. */
export interface PageTaker {
  take(chunk: Uint8Array): void;
  /** Returns true if later chunks cannot change the bytes of the page. */
  full(): boolean;
  /**
   * Returns the page, shortened to the bounds. The default bounds are those of the largest page. The caller may call
   * `finish` again with smaller bounds.
   */
  finish(bounds?: PageBounds): RawPage;
}

const LARGEST: PageBounds = { bytes: PAGE_BYTES, lines: PAGE_LINES };

const NEWLINE = 10;

/** Creates a page taker. The first chunk must be the start of the whole text. */
export function startPage(request: PageRequest): PageTaker {
  const before = request.offset - 1;
  const behind = before + request.limit;
  const keeper = startKeeping(request.skipBytes);
  let newlines = 0;
  let last = NEWLINE;
  let taken = 0;
  return {
    take(chunk) {
      if (chunk.length === 0) return;
      taken += chunk.length;
      let start = newlines >= before ? 0 : chunk.length;
      let end = newlines >= behind ? 0 : chunk.length;
      for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, at + 1)) {
        newlines += 1;
        if (newlines === before) start = at + 1;
        if (newlines === behind) end = at + 1;
      }
      last = chunk.at(-1) ?? last;
      if (start < end) keeper.keep(chunk.subarray(start, end), taken - chunk.length + start);
    },
    full: () => newlines >= behind || keeper.full(),
    finish: (bounds = LARGEST) => ({
      request,
      total: last === NEWLINE ? newlines : newlines + 1,
      start: keeper.start(),
      taken,
      ...pageIn(keeper.kept(), bounds),
    }),
  };
}

interface Keeper {
  /** Keeps bytes. `at` is the index of the first byte in the whole text. */
  keep(part: Uint8Array, at: number): void;
  full(): boolean;
  kept(): Buffer;
  /** Index of the first kept byte in the whole text. */
  start(): number;
}

/**
 * Stores the bytes of a page, and at most one byte more than the largest page has. The additional byte shows that the
 * text continues after the page.
 */
function startKeeping(skipBytes: number): Keeper {
  const parts: Uint8Array[] = [];
  let room = PAGE_BYTES + 1;
  let skip = skipBytes;
  let start = 0;
  return {
    keep(part, at) {
      const newline = part.indexOf(NEWLINE);
      const left = Math.min(skip, newline === -1 ? part.length : newline);
      skip = newline === -1 ? skip - left : 0;
      // Copy the bytes, because the reader may overwrite its buffer with the next chunk.
      const kept = Buffer.from(part.subarray(left, left + room));
      room -= kept.length;
      if (kept.length === 0) return;
      if (parts.length === 0) start = at + left;
      parts.push(kept);
    },
    start: () => start,
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

/** Number of bytes. Every realistic grapheme is at most this long. */
const LONGEST_GRAPHEME = 256;

/**
 * Returns the bytes without the last grapheme, because the cut may have split that grapheme. Bytes that are not UTF-8
 * are returned unchanged.
 */
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

/** Returns true for a byte that continues a UTF-8 character. */
function isInside(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}
