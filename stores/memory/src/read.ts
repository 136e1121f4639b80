// Reads the sessions of a backend through the record codec, piece by piece.

import { nodeBytes } from '@tidemark/files';
import type {
  AbortSignalLike,
  Lineage,
  ReadFrom,
  RecordReader,
  Recorded,
  SessionBeginning,
  SessionId,
  Tip,
} from '@tidemark/log';
import {
  EMPTY_TIP,
  LogError,
  createRecordReader,
  holdsLostNewline,
  lineageOf,
  lostNewline,
  readBeginning,
  readLineage,
} from '@tidemark/log';
import type { MemoryBackend, SessionData } from './memory-backend.ts';
import { bytesOf } from './memory-backend.ts';

const PIECE = 65_536;

/** True if the session has a first record, even if the newline after that record is damaged. */
export function isBegun(data: SessionData): boolean {
  const bytes = bytesOf(data);
  return bytes.includes(0x0a) || holdsLostNewline(bytes, nodeBytes);
}

/**
 * Returns the data of a session.
 *
 * @throws LogError `log/missing` when the session does not exist, `log/damaged` when its first newline is damaged.
 */
export function sessionDataOf(backend: MemoryBackend, session: SessionId): SessionData {
  const data = backend.sessions.get(session);
  if (data !== undefined && bytesOf(data).includes(0x0a)) return data;
  if (data !== undefined && holdsLostNewline(bytesOf(data), nodeBytes)) {
    throw lostNewline(session, { number: 1, offset: 0 });
  }
  throw new LogError(
    'log/missing',
    `There is no session ${session} here; \`tidemark sessions\` lists the existing sessions.`,
    { session },
  );
}

/**
 * Creates a reader for a session's own records `from` (inclusive) to `to` (exclusive). `tip` is the tip before the
 * first of its own records.
 */
export function readerOf(data: SessionData, tip: Tip, from: number, to: number): RecordReader {
  const start: ReadFrom = { path: data.session, tip, offset: 0, line: 1, from, to };
  return createRecordReader(start, nodeBytes);
}

/**
 * Returns the beginning of a session.
 *
 * @throws LogError `log/missing` when the session does not exist, `log/damaged` when its first line is damaged.
 */
export function begin(backend: MemoryBackend, session: SessionId): SessionBeginning {
  const bytes = bytesOf(sessionDataOf(backend, session));
  return readBeginning(session, session, bytes.subarray(0, bytes.indexOf(0x0a) + 1), nodeBytes);
}

/** Returns the segments of a session's log, across the session and all its ancestors. */
export function lineage(backend: MemoryBackend, session: SessionId): Promise<Lineage> {
  return lineageOf(session, async (name) => begin(backend, name));
}

/** Yields the session's own records in batches, up to the current end. */
export async function* readSessionData(
  backend: MemoryBackend,
  session: SessionId,
  from: number,
  to: number,
): AsyncGenerator<readonly Recorded[]> {
  const data = sessionDataOf(backend, session);
  const reader = readerOf(data, { ...EMPTY_TIP, length: begin(backend, session).start }, from, to);
  for (let at = 0; at < data.length && !reader.done; at += PIECE) {
    yield* drain(reader, data.bytes.subarray(at, Math.min(at + PIECE, data.length)));
  }
  const failure = reader.end();
  if (failure !== undefined) throw failure;
}

/**
 * Yields the records of a piece. If the piece is damaged, first yields the sound records before the damage, then
 * throws.
 */
function* drain(reader: RecordReader, piece: Uint8Array): Generator<readonly Recorded[]> {
  const { records, failure } = reader.read(piece);
  if (records.length > 0) yield records;
  if (failure !== undefined) throw failure;
}

/** Yields inherited and own records in batches, then new records as they arrive, until the signal aborts. */
export async function* tailSessionData(
  backend: MemoryBackend,
  session: SessionId,
  from: number,
  signal: AbortSignalLike,
): AsyncGenerator<readonly Recorded[]> {
  const data = sessionDataOf(backend, session);
  const { start } = begin(backend, session);
  const origins = await lineage(backend, session);
  yield* readLineage(origins, from, start, (name, first, end) => readSessionData(backend, name, first, end));
  const reader = readerOf(data, { ...EMPTY_TIP, length: start }, from, Infinity);
  for (let at = 0; !signal.aborted;) {
    const end = data.length;
    yield* drain(reader, data.bytes.subarray(at, end));
    at = end;
    if (data.length === at) await growth(data, signal);
  }
}

function growth(data: SessionData, signal: AbortSignalLike): Promise<void> {
  return new Promise((resolve) => {
    const wake = (): void => {
      data.listeners.delete(wake);
      signal.removeEventListener('abort', wake);
      resolve();
    };
    data.listeners.add(wake);
    signal.addEventListener('abort', wake);
    if (signal.aborted) wake();
  });
}
