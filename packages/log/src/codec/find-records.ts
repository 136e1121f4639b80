// Finds valid records in bytes that cannot be split into lines. A valid record has a valid layout and checksum. Such a
// record directly follows another record or an incomplete record, without a newline between them.

import type { BytePort, SoundLine } from './line.ts';
import { checkLine, endsIn } from './line.ts';

/** Sound record and its offsets in the searched bytes. */
export interface FoundRecord {
  readonly sound: SoundLine;
  readonly line: Uint8Array;
  readonly start: number;
  readonly end: number;
}

/**
 * Maximum number of possible record starts (`{"v":`) that are tried for one record end. By chance, a payload contains
 * far fewer of them.
 */
const MAX_OPENINGS = 1_000;
const OPENING = '{"v":';

/** Returns every valid record in these bytes, in order and without overlaps, at any offset. */
export function findRecords(within: Uint8Array, bytes: BytePort): readonly FoundRecord[] {
  const found: FoundRecord[] = [];
  let from = 0;
  for (const end of endsIn(within)) {
    const record = recordEndingAt(within, from, end, bytes);
    if (record === undefined) continue;
    found.push(record);
    from = end;
  }
  return found;
}

function recordEndingAt(within: Uint8Array, from: number, end: number, bytes: BytePort): FoundRecord | undefined {
  const opening = bytes.encode(OPENING);
  let start = indexOf(within, opening, from, end);
  for (let tried = 0; start !== -1 && tried < MAX_OPENINGS; tried += 1) {
    const line = within.subarray(start, end);
    const sound = checkLine(line, bytes);
    if (typeof sound !== 'string') return { sound, line, start, end };
    start = indexOf(within, opening, start + 1, end);
  }
  return undefined;
}

function indexOf(within: Uint8Array, word: Uint8Array, from: number, end: number): number {
  const first = word[0] ?? 0;
  for (let at = within.indexOf(first, from); at !== -1 && at < end; at = within.indexOf(first, at + 1)) {
    if (word.every((byte, index) => within[at + index] === byte)) return at;
  }
  return -1;
}

/**
 * Checks if the bytes after the last newline begin with a whole record, and the next byte is not a newline. An
 * interrupted write cannot leave such bytes. The record was committed, and its newline was damaged later.
 */
export function holdsLostNewline(tail: Uint8Array, bytes: BytePort): boolean {
  for (const end of endsIn(tail)) {
    if (end < tail.length && typeof checkLine(tail.subarray(0, end), bytes) !== 'string') return true;
  }
  return false;
}
