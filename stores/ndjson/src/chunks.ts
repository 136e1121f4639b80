// A file in pieces: large enough to be fast, small enough that a log of any length needs little memory.

import type { FileHandle } from 'node:fs/promises';
import { LONGEST_LINE } from '@tidemark/log';

const LARGEST = 524_288;
const SMALLEST = 4_096;

/**
 * The bytes from `offset` to the end of the file as it stands when it gets there. A piece is valid until the next. The one
 * behind a piece is read while that is in use; behind the last one nothing is, since the file may grow meanwhile.
 */
export async function* chunksOf(handle: FileHandle, offset: number): AsyncGenerator<Uint8Array> {
  const { size } = await handle.stat();
  const length = Math.min(LARGEST, Math.max(SMALLEST, size - offset + 1));
  let [buffer, other] = [Buffer.allocUnsafe(length), Buffer.alloc(0)];
  let piece = readAt(handle, buffer, offset);
  try {
    for (let at = offset; ;) {
      const { bytesRead } = await piece;
      if (bytesRead === 0) return;
      at += bytesRead;
      const read = buffer.subarray(0, bytesRead);
      if (bytesRead < length) {
        yield read;
        piece = readAt(handle, buffer, at);
        continue;
      }
      [buffer, other] = [other.length === length ? other : Buffer.allocUnsafe(length), buffer];
      piece = readAt(handle, buffer, at);
      yield read;
    }
  } finally {
    await piece.catch(() => undefined);
  }
}

/** Whoever awaits it meets its failure; before that it is nobody's. */
function readAt(handle: FileHandle, buffer: Buffer, at: number): ReturnType<FileHandle['read']> {
  const read = handle.read(buffer, 0, buffer.length, at);
  read.catch(() => undefined);
  return read;
}

/** The whole bytes of the line that ends at `end`, its newline included; `undefined` when none does. */
export async function lineEndingAt(handle: FileHandle, end: number): Promise<Uint8Array | undefined> {
  for (let length = SMALLEST; ; length *= 4) {
    const start = Math.max(0, end - length);
    const buffer = Buffer.allocUnsafe(end - start);
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, start);
    if (bytesRead < buffer.length || buffer.at(-1) !== NEWLINE) return undefined;
    const before = buffer.lastIndexOf(NEWLINE, -2);
    if (before !== -1) return buffer.subarray(before + 1);
    if (start === 0) return buffer;
    if (length > LONGEST_LINE) return undefined;
  }
}

/** The first line of the file, its newline included; `undefined` when there is none yet, and none within `LONGEST_LINE` bytes. */
export async function firstLine(handle: FileHandle): Promise<Uint8Array | undefined> {
  for (let length = SMALLEST; ; length *= 4) {
    const buffer = Buffer.allocUnsafe(length);
    const { bytesRead } = await handle.read(buffer, 0, length, 0);
    const end = buffer.subarray(0, bytesRead).indexOf(NEWLINE);
    if (end !== -1) return buffer.subarray(0, end + 1);
    if (bytesRead < length || length >= LONGEST_LINE) return undefined;
  }
}

const NEWLINE = 0x0a;
