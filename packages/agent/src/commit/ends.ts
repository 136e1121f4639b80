// The two ends of an output as it passes, and how much of it there was.

import { lastBytes } from './last-bytes.ts';
import { LARGEST_RESULT } from './output-limits.ts';
import { wholeCharacters } from './utf8.ts';

/** What is known of an output: enough to shape it. */
export interface View {
  /** Its beginning and its end: each the whole, or more than twice what may be shown of it. */
  readonly head: string;
  readonly tail: string;
  /** Of the whole. */
  readonly bytes: number;
  readonly lines: number;
}

/** Watches an output. */
export interface Ends {
  /** Each chunk is well-formed UTF-8. */
  add(chunk: Uint8Array): void;
  view(): View;
}

/** So much that a line which does not end in it is known to be longer than all that may be shown. */
const HELD = 2 * LARGEST_RESULT + 4_096;
const NEWLINE = 0x0a;

/** The beginning of an output. */
export function openEnds(): Ends {
  const last = lastBytes(HELD);
  const first: Uint8Array[] = [];
  let room = HELD;
  let bytes = 0;
  let newlines = 0;
  let isOpen = false;
  return {
    add(chunk) {
      if (chunk.length === 0) return;
      if (room > 0) {
        const taken = Buffer.from(chunk.subarray(0, wholeCharacters(chunk, room)));
        first.push(taken);
        room = taken.length < chunk.length ? 0 : room - taken.length;
      }
      last.add(chunk);
      bytes += chunk.length;
      newlines += newlinesIn(chunk);
      isOpen = chunk.at(-1) !== NEWLINE;
    },
    view: () => ({
      head: Buffer.concat(first).toString(),
      tail: Buffer.from(last.take()).toString(),
      bytes,
      lines: newlines + (isOpen ? 1 : 0),
    }),
  };
}

/** The view of a text that is all there. */
export function viewOf(text: string): View {
  return { head: text, tail: text, bytes: Buffer.byteLength(text), lines: linesIn(text) };
}

/** Lines of a text; the last need not end. */
export function linesIn(text: string): number {
  if (text === '') return 0;
  let lines = text.endsWith('\n') ? 0 : 1;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) lines += 1;
  return lines;
}

function newlinesIn(chunk: Uint8Array): number {
  let count = 0;
  for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, at + 1)) count += 1;
  return count;
}
