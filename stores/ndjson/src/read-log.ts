// Reading one session's own file: where it begins, where it ends, and the records between.

import { open } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { EMPTY_TIP, LogError, checkLine, createRecordReader, readBeginning } from '@tidemark/log';
import type { Beginning, ReadFrom, Recorded, RecordReader, SessionId, Tip } from '@tidemark/log';
import { chunksOf, firstLine, lineEndingAt } from './chunks.ts';
import type { Home } from './home.ts';
import { nodeBytes } from './node-bytes.ts';
import { roomPaths } from './paths.ts';
import type { Waypoint } from './waypoints.ts';

/** A log file, open for reading, whose first record was read. */
export interface OpenLog {
  readonly handle: FileHandle;
  readonly path: string;
  readonly beginning: Beginning;
}

/**
 * Opens a session's file and gives it to `use`; closes it in any case.
 *
 * @throws LogError `log/missing` when it holds no record, `log/damaged` when its first record is not sound.
 */
export async function withLog<T>(home: Home, session: SessionId, use: (log: OpenLog) => Promise<T>): Promise<T> {
  const log = await openLog(home, session);
  try {
    return await use(log);
  } finally {
    await log.handle.close();
  }
}

/** As `withLog`; the caller closes the handle. */
export async function openLog(home: Home, session: SessionId): Promise<OpenLog> {
  const path = roomPaths(home.paths, session).log;
  const handle = await openExisting(path, session);
  try {
    const line = await firstLine(handle);
    if (line === undefined) throw missing(session, path);
    return { handle, path, beginning: readBeginning(session, path, line, nodeBytes) };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** How a session begins. */
export function begin(home: Home, session: SessionId): Promise<Beginning> {
  return withLog(home, session, async ({ beginning }) => beginning);
}

async function openExisting(path: string, session: SessionId): Promise<FileHandle> {
  try {
    return await open(path, 'r');
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT') throw missing(session, path, cause);
    throw cause;
  }
}

function missing(session: SessionId, path: string, cause?: unknown): LogError {
  const message = `There is no session ${session} here (no record in ${path}); \`tidemark sessions\` lists those there are.`;
  return new LogError('log/missing', message, { session, path }, cause);
}

/** The end of the record that ends at this offset, if a sound one does. */
export async function tipEndingAt(handle: FileHandle, offset: number): Promise<Tip | undefined> {
  const line = offset === 0 ? undefined : await lineEndingAt(handle, offset);
  const sound = line === undefined ? 'frame' : checkLine(line.subarray(0, -1), nodeBytes);
  if (typeof sound === 'string') return undefined;
  return { length: sound.position + 1, chain: sound.chain, fence: sound.fence };
}

/** What to read of a file; `ReadFrom` without its place. */
export type ReadWhat = Pick<ReadFrom, 'from' | 'to'>;

/** A reader at the waypoint nearest to `from`, or at the beginning. */
export async function readerNear(home: Home, log: OpenLog, what: ReadWhat): Promise<RecordReader> {
  const { session, start } = log.beginning;
  const near = home.waypoints.before(session, Math.min(what.from, what.to));
  const tip = near === undefined ? undefined : await tipEndingAt(log.handle, near.offset);
  if (near === undefined || tip?.length !== near.length) {
    if (near !== undefined) home.waypoints.forget(session);
    return createRecordReader({ path: log.path, tip: { ...EMPTY_TIP, length: start }, offset: 0, line: 1, ...what }, nodeBytes);
  }
  const place = { path: log.path, tip, offset: near.offset, line: near.length - start + 1 };
  return createRecordReader({ ...place, ...what }, nodeBytes);
}

/** Own records of a session in batches, as far as they stand now; damage is thrown behind what is sound. */
export async function* readOwn(home: Home, session: SessionId, from: number, to: number): AsyncGenerator<readonly Recorded[]> {
  const log = await openLog(home, session);
  try {
    const reader = await readerNear(home, log, { from, to });
    yield* drain(home, session, reader, chunksOf(log.handle, reader.offset));
  } finally {
    await log.handle.close();
  }
}

/** Feeds a reader to its end. */
export async function* drain(
  home: Home,
  session: SessionId,
  reader: RecordReader,
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<readonly Recorded[]> {
  for await (const chunk of chunks) {
    const { records, failure } = reader.read(chunk);
    home.waypoints.learn(session, waypointOf(reader));
    if (records.length > 0) yield records;
    if (failure !== undefined) throw failure;
    if (reader.done) return;
  }
}

/** Where a reader stands. */
export function waypointOf(reader: RecordReader): Waypoint {
  return { length: reader.tip.length, offset: reader.offset };
}

/** Reads on to `length` without decoding anything, and tells where that is. */
export async function scanTo(home: Home, log: OpenLog, length: number): Promise<RecordReader> {
  const reader = await readerNear(home, log, { from: Infinity, to: length });
  for await (const chunk of chunksOf(log.handle, reader.offset)) {
    const { failure } = reader.read(chunk);
    if (failure !== undefined) throw failure;
    if (reader.done) break;
  }
  home.waypoints.learn(log.beginning.session, waypointOf(reader));
  return reader;
}
