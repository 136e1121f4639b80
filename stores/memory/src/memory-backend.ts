// What a memory store keeps: the real bytes of each log, as a file would hold them.

import { createHash, hash as digestOf } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { BytePort, Parent, SessionId } from '@tidemark/log';

/** One session's room. */
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

/** All rooms and artifacts. Two stores over one shelf are two openings of one place. */
export interface MemoryBackend {
  readonly rooms: Map<SessionId, SessionData>;
  readonly artifacts: Map<string, Uint8Array>;
  /** What sessions leave for each other. */
  readonly shared: Map<string, string>;
}

/** An empty shelf. */
export function createShelf(): MemoryBackend {
  return { rooms: new Map(), artifacts: new Map(), shared: new Map() };
}

/** An empty room. */
export function createRoom(session: SessionId, parent: Parent | undefined): SessionData {
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
export function bytesOf(room: SessionData): Uint8Array {
  return room.bytes.subarray(0, room.length);
}

/** Puts bytes behind those that are there. */
export function extend(room: SessionData, lines: Uint8Array): void {
  if (room.length + lines.length > room.bytes.length) {
    const larger = new Uint8Array(Math.max(room.bytes.length * 2, room.length + lines.length));
    larger.set(bytesOf(room));
    room.bytes = larger;
  }
  room.bytes.set(lines, room.length);
  room.length += lines.length;
  for (const listener of room.listeners) listener();
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
