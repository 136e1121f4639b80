// Reads one session's own file: its beginning, its end, and the records between them.

import type { FileHandle } from 'node:fs/promises';
import { nodeBytes } from '@tidemark/files';
import type { ReadFrom, RecordReader, Recorded, SessionBeginning, SessionId, Tip } from '@tidemark/log';
import {
  EMPTY_TIP,
  LONGEST_LINE,
  LogError,
  chainIn,
  checkLine,
  createRecordReader,
  endlessLine,
  holdsLostNewline,
  lostNewline,
  readBeginning,
} from '@tidemark/log';
import { openFile } from './file-port.ts';
import type { Home } from './home.ts';
import { roomPaths } from './home.ts';

/** A log file that is open for reading, and its first record. */
export interface OpenLog {
  readonly handle: FileHandle;
  readonly path: string;
  readonly beginning: SessionBeginning;
}

/**
 * Opens a session's file, passes it to `use`, and always closes it.
 *
 * @throws LogError `log/missing` when the file contains no record, `log/damaged` when its first record is not sound.
 */
export async function withLog<T>(home: Home, session: SessionId, use: (log: OpenLog) => Promise<T>): Promise<T> {
  const log = await openLog(home, session);
  try {
    return await use(log);
  } finally {
    await log.handle.close();
  }
}

/** Opens a session's file in the same way as `withLog`. The caller closes the handle. */
export async function openLog(home: Home, session: SessionId): Promise<OpenLog> {
  const path = roomPaths(home.paths, session).log;
  const handle = await openExisting(path, session);
  try {
    const line = await firstLine(handle);
    if (line === undefined) throw await refuseTail(handle, path, session);
    return { handle, path, beginning: readBeginning(session, path, line, nodeBytes) };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/**
 * Returns the error for a file without a complete first line. Usually the error is `log/missing`, because the session
 * was never begun. The error is `log/damaged` if only the newline of the first record is damaged, or if the line is too
 * long.
 */
async function refuseTail(handle: FileHandle, path: string, session: SessionId): Promise<LogError> {
  if ((await handle.stat()).size >= LONGEST_LINE) return endlessLine(path, { number: 1, offset: 0 });
  const isDamaged = holdsLostNewline(await handle.readFile(), nodeBytes);
  return isDamaged ? lostNewline(path, { number: 1, offset: 0 }) : missing(session, path);
}

/** Returns the beginning of a session, as read from the first line of its own file. */
export function begin(home: Home, session: SessionId): Promise<SessionBeginning> {
  return withLog(home, session, async ({ beginning }) => beginning);
}

async function openExisting(path: string, session: SessionId): Promise<FileHandle> {
  try {
    return await openFile(path);
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT') throw missing(session, path, cause);
    throw cause;
  }
}

/** Returns the error for a session whose log does not exist. */
export function missing(session: SessionId, path: string, cause?: unknown): LogError {
  const message = `There is no session ${session} here (no record in ${path}); \`tidemark sessions\` lists the existing sessions.`;
  return new LogError('log/missing', message, { session, path }, cause);
}

/** Returns the tip after the record that ends at this offset, or `undefined` if no sound record ends there. */
export async function tipEndingAt(handle: FileHandle, offset: number): Promise<Tip | undefined> {
  const line = offset === 0 ? undefined : (await lineEndingAt(handle, offset))?.subarray(0, -1);
  const sound = line === undefined ? 'frame' : checkLine(line, nodeBytes);
  if (line === undefined || typeof sound === 'string') return undefined;
  return { length: sound.position + 1, chain: chainIn(line, sound, nodeBytes), fence: sound.fence };
}

/** A place between two records of a log file: its byte offset, and the tip of the records before it. */
export type LogPlace = Pick<RecordReader, 'tip' | 'offset'>;

type What = Pick<ReadFrom, 'from' | 'to' | 'verifyChain'>;

/**
 * Returns a place at or before a position, from which a read can begin: the last waypoint that matches the file, or
 * else the beginning of the file.
 */
export async function placeNear(home: Home, { handle, beginning }: OpenLog, position: number): Promise<LogPlace> {
  const { session, start } = beginning;
  const near = home.waypoints.before(session, position);
  if (near !== undefined) {
    const tip = await tipEndingAt(handle, near.offset);
    if (tip?.length === near.length) return { tip, offset: near.offset };
    home.waypoints.forget(session);
  }
  return { tip: { ...EMPTY_TIP, length: start }, offset: 0 };
}

function readerAt({ path, beginning }: OpenLog, { tip, offset }: LogPlace, what: What): RecordReader {
  const line = tip.length - beginning.start + 1;
  return createRecordReader({ path, tip, offset, line, ...what }, nodeBytes);
}

/**
 * Yields the records from a place to the end of the file, in batches. Records that are appended during the read are
 * included. If there is damage, the records before it are yielded first, then an error is thrown. A writer can also cut
 * and rewrite a torn tail during the read, and this looks like damage. So the bytes are read again. An error is thrown
 * only if the damage is at the same offset the second time.
 */
export async function* readOn(
  home: Home,
  log: OpenLog,
  place: LogPlace,
  what: What,
): AsyncGenerator<readonly Recorded[], RecordReader> {
  let reader = readerAt(log, place, what);
  for (let doubted = -1; ;) {
    const failure = yield* feed(home, log, reader);
    if (failure === undefined) return reader;
    if (failure.code !== 'log/damaged' || reader.offset === doubted) throw failure;
    doubted = reader.offset;
    reader = readerAt(log, reader, what);
  }
}

async function* feed(
  home: Home,
  log: OpenLog,
  reader: RecordReader,
): AsyncGenerator<readonly Recorded[], LogError | undefined> {
  const { session } = log.beginning;
  for await (const chunk of chunksOf(log.handle, reader.offset)) {
    const { records, failure } = reader.read(chunk);
    home.waypoints.learn(session, { length: reader.tip.length, offset: reader.offset });
    if (records.length > 0) yield records;
    if (failure !== undefined) return failure;
    if (reader.done) return undefined;
  }
  return reader.end();
}

/** Yields the session's own records in batches, up to the current end. */
export async function* readOwn(
  home: Home,
  session: SessionId,
  from: number,
  to: number,
): AsyncGenerator<readonly Recorded[]> {
  const log = await openLog(home, session);
  try {
    yield* readOn(home, log, await placeNear(home, log, Math.min(from, to)), { from, to });
  } finally {
    await log.handle.close();
  }
}

/** Checks the records up to `length` without decoding them, and returns the place where they end. */
export async function scanTo(home: Home, log: OpenLog, length: number): Promise<LogPlace> {
  const scan = readOn(home, log, await placeNear(home, log, length), { from: Infinity, to: length });
  for (;;) {
    const step = await scan.next();
    if (step.done === true) return step.value;
  }
}

// Sizes of the pieces in which a file is read, in bytes. They are large enough to be fast, and small enough that a log
// of any length needs little memory.

const LARGEST = 524_288;
const SMALLEST = 4_096;

/**
 * Yields the bytes from `offset` to the current end of the file. A piece is valid until the next piece is requested.
 * After a full piece, the next piece is read in advance. A shorter piece can be the last one. After it nothing is read
 * in advance, because the file can grow in the meantime.
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

/**
 * Starts a read. The caller awaits the returned promise and so receives its error. The empty handler prevents an
 * unhandled rejection before the caller awaits.
 */
function readAt(handle: FileHandle, buffer: Buffer, at: number): ReturnType<FileHandle['read']> {
  const read = handle.read(buffer, 0, buffer.length, at);
  read.catch(() => undefined);
  return read;
}

/** Returns the line that ends at `end`, including its newline, or `undefined` if no line ends there. */
async function lineEndingAt(handle: FileHandle, end: number): Promise<Uint8Array | undefined> {
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

/**
 * Returns the first line of the file, including its newline. Returns `undefined` if there is no newline yet or none
 * within `LONGEST_LINE` bytes.
 */
async function firstLine(handle: FileHandle): Promise<Uint8Array | undefined> {
  for (let length = SMALLEST; ; length *= 4) {
    const buffer = Buffer.allocUnsafe(length);
    const { bytesRead } = await handle.read(buffer, 0, length, 0);
    const end = buffer.subarray(0, bytesRead).indexOf(NEWLINE);
    if (end !== -1) return buffer.subarray(0, end + 1);
    if (bytesRead < length || length >= LONGEST_LINE) return undefined;
  }
}

const NEWLINE = 0x0a;
