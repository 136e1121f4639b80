// Sources of the viewer's lines: lines in memory, and the bytes of an artifact. Of a large artifact only the places of
// some lines are kept in memory, and a part of it is read again when it is shown.

import { render } from '../../frame/shown.ts';
import type { Line } from '../state/line.ts';
import type { LineSource } from '../state/viewer-entry.ts';

/** Returns a source of lines that are in memory. */
export function linesSource(lines: readonly Line[]): LineSource {
  return {
    length: lines.length,
    read: async (from, to) => lines.slice(Math.max(0, from), to),
    async find(matches, from, backwards) {
      const isMatch = (line: Line): boolean => matches(plainLine(line));
      const index = backwards
        ? lines.slice(0, from).findLastIndex(isMatch)
        : lines.findIndex((line, at) => at >= from && isMatch(line));
      return index === -1 ? undefined : index;
    },
  };
}

function plainLine(line: Line): string {
  return typeof line === 'object' && 'lead' in line ? render([line.lead, line.words], false) : render(line, false);
}

/** Maximum size of an artifact that is kept in memory, in bytes. */
const IN_MEMORY = 4 * 1024 * 1024;
/** Number of lines between two lines of which the place is kept. */
const STEP = 1_000;
/** Maximum length of a line in bytes. A longer line is shown as several lines. */
const LONGEST_LINE = 4_096;

/** Opens a text that is too large for the memory. `read` reads its bytes from the beginning. */
export async function bytesSource(
  read: () => AsyncIterable<Uint8Array>,
  inMemory: number = IN_MEMORY,
): Promise<LineSource> {
  const places: number[] = [];
  let kept: string[] | undefined = [];
  let at = 0;
  let length = 0;
  for await (const line of splitLines(read())) {
    if (length % STEP === 0) places.push(at);
    at += line.length;
    length += 1;
    if (at > inMemory) kept = undefined;
    kept?.push(textOf(line));
  }
  return kept === undefined ? largeSource(read, places, length) : linesSource(kept);
}

function largeSource(read: () => AsyncIterable<Uint8Array>, places: readonly number[], length: number): LineSource {
  async function* linesFrom(from: number): AsyncIterable<readonly [number, string]> {
    const place = Math.floor(from / STEP);
    let index = place * STEP;
    for await (const line of splitLines(skipBytes(read(), places[place] ?? 0))) {
      if (index >= from) yield [index, textOf(line)];
      index += 1;
    }
  }
  return {
    length,
    async read(from, to) {
      const lines: string[] = [];
      if (from >= to || from >= length) return lines;
      for await (const [index, line] of linesFrom(Math.max(0, from))) {
        lines.push(line);
        if (index + 1 >= to) break;
      }
      return lines;
    },
    async find(matches, from, backwards) {
      let last: number | undefined;
      for await (const [index, line] of linesFrom(backwards ? 0 : from)) {
        if (backwards && index >= from) break;
        if (!matches(line)) continue;
        if (!backwards) return index;
        last = index;
      }
      return last;
    },
  };
}

async function* skipBytes(chunks: AsyncIterable<Uint8Array>, count: number): AsyncIterable<Uint8Array> {
  let left = count;
  for await (const chunk of chunks) {
    if (left < chunk.length) yield left === 0 ? chunk : chunk.subarray(left);
    left = Math.max(0, left - chunk.length);
  }
}

const NEWLINE = 0x0a;

/** Yields the bytes of each line with its line end. A line that is too long is cut between two characters. */
async function* splitLines(chunks: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  let rest = new Uint8Array();
  for await (const chunk of chunks) {
    rest = rest.length === 0 ? Buffer.from(chunk) : Buffer.concat([rest, chunk]);
    let begin = 0;
    for (let end = lineEnd(rest, begin); end !== undefined; end = lineEnd(rest, begin)) {
      yield rest.subarray(begin, end);
      begin = end;
    }
    rest = rest.subarray(begin);
  }
  if (rest.length > 0) yield rest;
}

/** Returns the end of the line that begins at `begin`, or `undefined` if more bytes are needed to find it. */
function lineEnd(bytes: Uint8Array, begin: number): number | undefined {
  const newline = bytes.indexOf(NEWLINE, begin);
  if (newline !== -1 && newline - begin < LONGEST_LINE) return newline + 1;
  if (newline === -1 && bytes.length - begin <= LONGEST_LINE) return undefined;
  let end = begin + LONGEST_LINE;
  while (end > begin + LONGEST_LINE - 4 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return end;
}

function textOf(line: Uint8Array): string {
  return Buffer.from(line)
    .toString()
    .replace(/\r?\n$/, '');
}
