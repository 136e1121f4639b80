// Helpers that write lines that no current build writes, such as unknown kinds and later revisions. These lines have a
// valid chain and checksum.

import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { BytePort, SoundLine } from '../src/codec/line.ts';
import { chainBehind, chainIn, checkLine, seal, writeHead } from '../src/codec/line.ts';
import type { SessionId } from '../src/ids.ts';
import { position } from '../src/ids.ts';
import type { LogUnderTest } from './log-under-test.ts';
import { NOON } from './samples.ts';

/** `BytePort` implemented with Node. */
export const testBytes: BytePort = {
  crc32: (data) => crc32(data),
  sha256(pieces) {
    const hash = createHash('sha256');
    for (const piece of pieces) hash.update(piece);
    return hash.digest('hex');
  },
  encode: (text) => Buffer.from(text),
  decode: (bytes) => Buffer.from(bytes).toString(),
};

type Lines = NonNullable<LogUnderTest['lines']>;

/**
 * Returns the lines of a file without their newlines. If the last bytes do not end with a newline, they are not a line.
 */
export function splitLines(bytes: Uint8Array): Uint8Array[] {
  const lines: Uint8Array[] = [];
  for (let start = 0; ;) {
    const end = bytes.indexOf(0x0a, start);
    if (end === -1) return lines;
    lines.push(bytes.subarray(start, end));
    start = end + 1;
  }
}

/** Checks a line and returns its layout. Throws if the layout or the checksum is not valid. */
export function soundLine(line: Uint8Array | undefined): SoundLine {
  const sound = line === undefined ? 'frame' : checkLine(line, testBytes);
  if (typeof sound === 'string') throw new Error(`the line is not sound: ${sound}`);
  return sound;
}

/**
 * Appends a line with a valid chain and checksum to a session's log, without using a writer. The default revision `v`
 * is 1.
 */
export async function appendRaw(
  lines: Lines,
  id: SessionId,
  record: { v?: number; kind: string; data: string },
): Promise<void> {
  const bytes = await lines.read(id);
  const line = splitLines(bytes).at(-1) ?? bytes;
  const last = soundLine(line);
  const head = {
    position: position(last.position + 1),
    at: NOON,
    fence: last.fence,
    kind: record.kind,
    turn: undefined,
  };
  const text = testBytes.encode(writeHead(head, record.data).replace('{"v":1', `{"v":${record.v ?? 1}`));
  const sealed = seal(text, chainBehind(chainIn(line, last, testBytes), text, testBytes), testBytes);
  await lines.write(id, Buffer.concat([bytes, sealed]));
}
