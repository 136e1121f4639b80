// A line in which one byte changed can be told from all others: CRC-32 says which byte it was, and the chain proves it.

import type { BytePort } from './line.ts';
import { reseal, stampSeal, sumIn, summedOf } from './line.ts';

/**
 * What these bytes may have been before one of them changed, or before their checksum did; at most two. None is proven:
 * the chain must follow from the record before it.
 */
export function mendings(line: Uint8Array, bytes: BytePort): readonly Uint8Array[] {
  const stamped = stampSeal(line);
  if (stamped === undefined) return [];
  const summed = reseal(stamped, bytes);
  const wanted = sumIn(stamped);
  const corrected = wanted === undefined ? undefined : correctOne(stamped, wanted, bytes);
  return corrected === undefined ? [summed] : [corrected, summed];
}

/** The line with the one byte put right that makes its checksum hold; `undefined` when no single one does. */
function correctOne(line: Uint8Array, wanted: number, bytes: BytePort): Uint8Array | undefined {
  const covered = summedOf(line);
  // CRC is linear: the difference of two checksums is that of the changed byte alone, carried on by what stands behind it.
  let difference = (bytes.crc32(covered) ^ wanted) >>> 0;
  if (difference === 0) return line;
  for (let at = covered.length - 1; at >= 0; at -= 1) {
    const change = CHANGES.get(difference);
    if (change !== undefined) return withByte(line, at, (line[at] ?? 0) ^ change);
    difference = before(difference);
  }
  return undefined;
}

function withByte(line: Uint8Array, at: number, byte: number): Uint8Array {
  const changed = new Uint8Array(line);
  changed[at] = byte;
  return changed;
}

/** What a byte alone makes of an empty remainder. */
const TABLE: readonly number[] = Array.from({ length: 256 }, (_, byte) => {
  let remainder = byte;
  for (let bit = 0; bit < 8; bit += 1) remainder = remainder & 1 ? (remainder >>> 1) ^ 0xedb88320 : remainder >>> 1;
  return remainder >>> 0;
});
const CHANGES: ReadonlyMap<number, number> = new Map(TABLE.map((remainder, byte) => [remainder, byte]));
/** The entry that left this highest byte behind: each leaves another. */
const BY_HIGHEST: ReadonlyMap<number, number> = new Map(TABLE.map((remainder, byte) => [remainder >>> 24, byte]));

/** The remainder one byte earlier, where that byte was 0. */
function before(remainder: number): number {
  const byte = BY_HIGHEST.get(remainder >>> 24) ?? 0;
  return ((((remainder ^ (TABLE[byte] ?? 0)) << 8) >>> 0) | byte) >>> 0;
}
