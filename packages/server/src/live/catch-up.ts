// Sends the records of a log from a position to its end. Few readers read logs at the same time, and none reads while
// its client is not taking data. So the memory does not grow with the number of readers.

import type { Log, Recorded, SessionId } from '@tidemark/log';
import { LogError } from '@tidemark/log';
import { setTimeout as pause } from 'node:timers/promises';
import pLimit from 'p-limit';
import { ServerError } from '../errors.ts';
import type { Frame, FrameSink } from './frames.ts';
import { joinFrames, recordFrame } from './frames.ts';

/** Number of readers of a server that read logs at the same time. A store needs about 1 MB for each. */
const MAX_READING = 8;
/** Size at which frames are sent, in bytes. */
const PIECE_BYTES = 65_536;
/** Time for which a reader keeps its log open while its client does not take data, in milliseconds. */
const GRACE_MS = 20;
/**
 * Maximum number of bytes of the pieces that clients are not taking, for all readers of a server. Above it a reader is
 * dropped. Its client connects again and reads from its position.
 */
const MAX_UNTAKEN_BYTES = 64 * 1_024 * 1_024;

/** Limits for the readers of one server that read logs. */
export interface ReadingLimits {
  readonly limit: <Result>(work: () => Promise<Result>) => Promise<Result>;
  untakenBytes: number;
}

/** Creates the limits of one server. */
export function createReadingLimits(): ReadingLimits {
  const limit = pLimit(MAX_READING);
  return { limit: (work) => limit(work), untakenBytes: 0 };
}

/** Place of a reader in the log of its session. */
export interface LogCursor {
  /** Position of the next record that the reader needs. */
  next: number;
  /** Chain value of the record before `next`, if this reader has read it. */
  chain: Recorded['chain'] | undefined;
}

/** Log that a reader reads, and the sink of its client. */
export interface CatchUp {
  readonly log: Log;
  readonly id: SessionId;
  readonly cursor: LogCursor;
  readonly sink: FrameSink;
  readonly limits: ReadingLimits;
  /** True if the reader has ended. */
  readonly over: () => boolean;
}

/**
 * Sends all records from the place of the cursor to the end of the log.
 *
 * @throws ServerError `server/beyond-end` if the log is shorter than the position of the client; `server/too-slow` if
 *   too many bytes wait for clients.
 * @throws LogError `log/moved` if the log does not contain the last sent record any more, and as `log.read` does.
 */
export async function sendLog(work: CatchUp): Promise<void> {
  while (!work.over()) {
    // The log is closed before the next wait, and it is opened again at the next piece.
    const untaken = await work.limits.limit(() => sendWhileTaken(work));
    if (untaken === undefined) return;
    await waitFor(untaken, work.limits);
  }
}

interface Untaken {
  readonly taken: Promise<void>;
  readonly bytes: number;
}

/** Sends records until the end of the log, or until the client does not take a piece. */
async function sendWhileTaken(work: CatchUp): Promise<Untaken | undefined> {
  const piece = createPiece();
  try {
    const untaken = await sendPieces(work, piece);
    if (untaken !== undefined) return untaken;
  } catch (error) {
    // The intact records before the damage are sent too.
    if (piece.size() > 0) void work.sink.write(piece.take());
    throw error;
  }
  return piece.size() === 0 || work.over() ? undefined : sendPiece(piece.take(), work.sink);
}

/** Sends each full piece, and leaves the last one. */
async function sendPieces({ log, id, cursor, sink, over }: CatchUp, piece: LogPiece): Promise<Untaken | undefined> {
  const first = Math.max(0, cursor.next - 1);
  let hasFirst = false;
  for await (const record of log.read(id, first)) {
    if (over()) return undefined;
    hasFirst = true;
    if (record.position < cursor.next) {
      requireSame(cursor, record, id);
      continue;
    }
    piece.add(recordFrame(record));
    cursor.next = record.position + 1;
    cursor.chain = record.chain;
    if (piece.size() < PIECE_BYTES) continue;
    const untaken = await sendPiece(piece.take(), sink);
    if (untaken !== undefined) return untaken;
  }
  if (!hasFirst && cursor.next > 0 && !over()) throw tooShort(cursor, id);
  return undefined;
}

/** Frames that are sent together. */
interface LogPiece {
  add(frame: Frame): void;
  /** Returns the number of bytes. */
  size(): number;
  take(): Uint8Array;
}

function createPiece(): LogPiece {
  let frames: Frame[] = [];
  let bytes = 0;
  return {
    add(frame) {
      frames.push(frame);
      bytes += frame.bytes.length;
    },
    size: () => bytes,
    take() {
      const joined = joinFrames(frames);
      frames = [];
      bytes = 0;
      return joined;
    },
  };
}

/** Sends a piece. Returns `undefined` if the client took it within a short time. */
async function sendPiece(bytes: Uint8Array, sink: FrameSink): Promise<Untaken | undefined> {
  const taken = sink.write(bytes);
  if (taken === undefined) return undefined;
  const grace = new AbortController();
  const late = pause(GRACE_MS, true, { signal: grace.signal }).catch(() => false);
  const isLate = await Promise.race([taken.then(() => false), late]);
  grace.abort();
  return isLate ? { taken, bytes: bytes.length } : undefined;
}

async function waitFor({ taken, bytes }: Untaken, limits: ReadingLimits): Promise<void> {
  if (limits.untakenBytes + bytes > MAX_UNTAKEN_BYTES)
    throw new ServerError(
      'server/too-slow',
      'too many bytes wait for clients that do not read them',
      'read the events again from the last position',
    );
  limits.untakenBytes += bytes;
  try {
    await taken;
  } finally {
    limits.untakenBytes -= bytes;
  }
}

/** Checks the record before the next one: the log must still contain the record that the client has. */
function requireSame(cursor: LogCursor, { chain, position }: Recorded, session: SessionId): void {
  cursor.chain ??= chain;
  if (cursor.chain !== chain) throw moved(session, position);
}

function tooShort({ next, chain }: LogCursor, session: SessionId): LogError | ServerError {
  if (chain !== undefined) return moved(session, next - 1);
  return new ServerError(
    'server/beyond-end',
    `session ${session} has no record ${next - 1}, so its events cannot be read from position ${next}`,
    'read the session: its field `length` is the last position from which events can be read',
  );
}

function moved(session: SessionId, position: number): LogError {
  const message = `session ${session} does not contain record ${position} as it was sent: a failed write was undone, or the log was replaced. Read the session again from its beginning.`;
  return new LogError('log/moved', message, { session, length: position });
}
