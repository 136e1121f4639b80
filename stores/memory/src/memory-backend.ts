// Data of a memory store: the bytes of each log, exactly as a file would contain them.

import type { Digest, Parent, SessionId } from '@tidemark/log';

export interface SessionData {
  readonly session: SessionId;
  readonly parent: Parent | undefined;
  /** The lines of the log, in a buffer that grows. Only the first `length` bytes are used. */
  bytes: Uint8Array;
  length: number;
  snapshot: Uint8Array | undefined;
  /** True if a writer has the session open. */
  held: boolean;
  /** Functions called after each append. */
  readonly listeners: Set<() => void>;
}

/** All sessions and artifacts. Two stores with the same backend share the same data. */
export interface MemoryBackend {
  readonly sessions: Map<SessionId, SessionData>;
  /** Received records of sessions that are not complete. */
  readonly incoming: Map<SessionId, SessionData>;
  readonly artifacts: Map<string, Uint8Array>;
  /** Texts that sessions share, by name. */
  readonly shared: Map<string, string>;
  /** Bytes of files before tools changed them, by session and digest, oldest first. */
  readonly undo: Map<SessionId, Map<Digest, Uint8Array>>;
}

export function createMemoryBackend(): MemoryBackend {
  return { sessions: new Map(), incoming: new Map(), artifacts: new Map(), shared: new Map(), undo: new Map() };
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

/** Returns the bytes of a log so far. */
export function bytesOf(data: SessionData): Uint8Array {
  return data.bytes.subarray(0, data.length);
}

/** Appends bytes to a log and calls its listeners. */
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
