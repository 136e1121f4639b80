// What a memory store keeps: the real bytes of each log, as a file would hold them.

import { createHash, hash as digestOf } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { BytePort, Parent, SessionId } from '@tidemark/log';

/** The data of one session. */
export interface SessionData {
  readonly session: SessionId;
  readonly parent: Parent | undefined;
  /** The lines of the log; a buffer that grows, of which `length` bytes count. */
  bytes: Uint8Array;
  length: number;
  snapshot: Uint8Array | undefined;
  /** Whether a writer holds it. */
  held: boolean;
  /** Called after each append. */
  readonly listeners: Set<() => void>;
}

/** All sessions and artifacts. Two stores over one backend open the same place. */
export interface MemoryBackend {
  readonly sessions: Map<SessionId, SessionData>;
  readonly artifacts: Map<string, Uint8Array>;
  /** What sessions leave for each other. */
  readonly shared: Map<string, string>;
}

/** Returns an empty backend. */
export function createMemoryBackend(): MemoryBackend {
  return { sessions: new Map(), artifacts: new Map(), shared: new Map() };
}

/** Returns the data of a session without records. */
export function createSessionData(session: SessionId, parent: Parent | undefined): SessionData {
  return {
    session,
    parent,
    bytes: new Uint8Array(4096),
    length: 0,
    snapshot: undefined,
    held: false,
    listeners: new Set(),
  };
}

/** The bytes of a log so far. */
export function bytesOf(data: SessionData): Uint8Array {
  return data.bytes.subarray(0, data.length);
}

/** Puts bytes behind those that are there. */
export function extend(data: SessionData, lines: Uint8Array): void {
  if (data.length + lines.length > data.bytes.length) {
    const larger = new Uint8Array(Math.max(data.bytes.length * 2, data.length + lines.length));
    larger.set(bytesOf(data));
    data.bytes = larger;
  }
  data.bytes.set(lines, data.length);
  data.length += lines.length;
  for (const listener of data.listeners) listener();
}

/** The byte port of this store: checksums, digests and text by Node. */
export const nodeBytes: BytePort = {
  crc32: (data) => crc32(data),
  sha256(pieces) {
    const [only] = pieces;
    if (only !== undefined && pieces.length === 1) return digestOf('sha256', only, 'hex');
    const hash = createHash('sha256');
    for (const piece of pieces) hash.update(piece);
    return hash.digest('hex');
  },
  encode: (text) => Buffer.from(text, 'utf8'),
  decode: (bytes) =>
    (Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)).toString('utf8'),
};
