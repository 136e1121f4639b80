// Repair of a line in which one byte changed. CRC-32 shows which byte changed, and the chain proves the repair.

import type { BytePort } from './line.ts';
import { reseal, stampSeal, sumIn, summedOf } from './line.ts';

/**
 * Tries to repair a line in which one byte changed. Returns at most two candidates for the original line: one with a
 * corrected byte, and one with a corrected checksum. The caller must check that the chain value of a candidate follows
 * from the record before it.
 */
export function repairCandidates(line: Uint8Array, bytes: BytePort): readonly Uint8Array[] {
  const stamped = stampSeal(line);
  if (stamped === undefined) return [];
  const summed = reseal(stamped, bytes);
  const wanted = sumIn(stamped);
  const corrected = wanted === undefined ? undefined : correctOne(stamped, wanted, bytes);
  return corrected === undefined ? [summed] : [corrected, summed];
}

/**
 * Finds the byte that must be corrected to make the checksum of the line valid. Returns the corrected line. Returns
 * `undefined` if the correction of one byte is not enough.
 */
function correctOne(line: Uint8Array, wanted: number, bytes: BytePort): Uint8Array | undefined {
  const covered = summedOf(line);
  // CRC is linear. The difference between the computed and the stored checksum depends only on two values: the change
  // of the byte, and the number of bytes after it.
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

/** CRC-32 table: the remainder after each byte value, starting from the remainder 0. */
const TABLE: readonly number[] = Array.from({ length: 256 }, (_, byte) => {
  let remainder = byte;
  for (let bit = 0; bit < 8; bit += 1) remainder = remainder & 1 ? (remainder >>> 1) ^ 0xedb88320 : remainder >>> 1;
  return remainder >>> 0;
});
const CHANGES: ReadonlyMap<number, number> = new Map(TABLE.map((remainder, byte) => [remainder, byte]));
/** Index of each entry of `TABLE`, by the highest byte of the entry. All entries have different highest bytes. */
const BY_HIGHEST: ReadonlyMap<number, number> = new Map(TABLE.map((remainder, byte) => [remainder >>> 24, byte]));

/**
 * Undoes one round of the CRC for a byte with the value 0. The argument is the remainder after the byte. The result is
 * the remainder before it.
 */
function before(remainder: number): number {
  const byte = BY_HIGHEST.get(remainder >>> 24) ?? 0;
  return ((((remainder ^ (TABLE[byte] ?? 0)) << 8) >>> 0) | byte) >>> 0;
}
