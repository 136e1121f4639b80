// Reading the rooms of a shelf through the record codec, a piece at a time.

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
import { bytesOf, nodeBytes } from './memory-backend.ts';

const PIECE = 65_536;

/** Whether a first record was committed, its newline damaged or not. */
export function isBegun(room: SessionData): boolean {
  const bytes = bytesOf(room);
  return bytes.includes(0x0a) || holdsLostNewline(bytes, nodeBytes);
}

/** The room of a session. @throws LogError `log/missing`, `log/damaged`. */
export function roomOf(shelf: MemoryBackend, session: SessionId): SessionData {
  const room = shelf.rooms.get(session);
  if (room !== undefined && bytesOf(room).includes(0x0a)) return room;
  if (room !== undefined && holdsLostNewline(bytesOf(room), nodeBytes)) {
    throw lostNewline(session, { number: 1, offset: 0 });
  }
  throw new LogError(
    'log/missing',
    `There is no session ${session} here; \`tidemark sessions\` lists those there are.`,
    { session },
  );
}

/** A reader at the beginning of a room. */
export function readerOf(room: SessionData, tip: Tip, from: number, to: number): RecordReader {
  const start: ReadFrom = { path: room.session, tip, offset: 0, line: 1, from, to };
  return createRecordReader(start, nodeBytes);
}

/** How a room begins. @throws LogError `log/missing`, `log/damaged`. */
export function begin(shelf: MemoryBackend, session: SessionId): SessionBeginning {
  const bytes = bytesOf(roomOf(shelf, session));
  return readBeginning(session, session, bytes.subarray(0, bytes.indexOf(0x0a) + 1), nodeBytes);
}

/** Where a session comes from. */
export function lineage(shelf: MemoryBackend, session: SessionId): Promise<Lineage> {
  return lineageOf(session, async (name) => begin(shelf, name));
}

/** Own records of a session, in batches, as far as they stand now. */
export async function* readRoom(
  shelf: MemoryBackend,
  session: SessionId,
  from: number,
  to: number,
): AsyncGenerator<readonly Recorded[]> {
  const room = roomOf(shelf, session);
  const reader = readerOf(room, { ...EMPTY_TIP, length: begin(shelf, session).start }, from, to);
  for (let at = 0; at < room.length && !reader.done; at += PIECE) {
    yield* drain(reader, room.bytes.subarray(at, Math.min(at + PIECE, room.length)));
  }
  const failure = reader.end();
  if (failure !== undefined) throw failure;
}

/** What a piece gives; damage is thrown behind what is sound. */
function* drain(reader: RecordReader, piece: Uint8Array): Generator<readonly Recorded[]> {
  const { records, failure } = reader.read(piece);
  if (records.length > 0) yield records;
  if (failure !== undefined) throw failure;
}

/** Own and inherited records in batches, then new ones as they come, until the signal aborts. */
export async function* tailRoom(
  shelf: MemoryBackend,
  session: SessionId,
  from: number,
  signal: AbortSignalLike,
): AsyncGenerator<readonly Recorded[]> {
  const room = roomOf(shelf, session);
  const { start } = begin(shelf, session);
  const origins = await lineage(shelf, session);
  yield* readLineage(origins, from, start, (name, first, end) => readRoom(shelf, name, first, end));
  const reader = readerOf(room, { ...EMPTY_TIP, length: start }, from, Infinity);
  for (let at = 0; !signal.aborted;) {
    const end = room.length;
    yield* drain(reader, room.bytes.subarray(at, end));
    at = end;
    if (room.length === at) await growth(room, signal);
  }
}

function growth(room: SessionData, signal: AbortSignalLike): Promise<void> {
  return new Promise((resolve) => {
    const wake = (): void => {
      room.listeners.delete(wake);
      signal.removeEventListener('abort', wake);
      resolve();
    };
    room.listeners.add(wake);
    signal.addEventListener('abort', wake);
    if (signal.aborted) wake();
  });
}
