// Reads the records of one session in pieces of bytes, exactly as a log file contains them.

import { nodeBytes } from '@tidemark/files';
import type { Lineage, ReadFrom, RecordReader, Recorded, SessionBeginning, SessionId, Tip } from '@tidemark/log';
import { EMPTY_TIP, LogError, createRecordReader, lineageOf, readBeginning, readLineage } from '@tidemark/log';

import type { Database } from './database.ts';

/** Sessions of one tenant in a database. */
export interface TenantSessions {
  readonly database: Database;
  readonly tenant: string;
}

/** End of a session's log, as its row has it. */
export interface Head {
  readonly session: SessionId;
  /** Position of the first own record. */
  readonly start: number;
  /** Number of records, ancestors included. */
  readonly length: number;
  readonly chain: string;
  /** Size of the own records in bytes. */
  readonly size: number;
}

/** Returns the heads of those sessions that have a record. */
export function headsOf(
  { database, tenant }: TenantSessions,
  sessions: readonly SessionId[],
): Promise<readonly Head[]> {
  return database.call<Head>('heads_of', [tenant, sessions]);
}

/**
 * Returns the head of a session.
 *
 * @throws LogError `log/missing` when the session has no record.
 */
export async function headOf(sessions: TenantSessions, session: SessionId): Promise<Head> {
  const [head] = await headsOf(sessions, [session]);
  if (head === undefined) throw missing(session);
  return head;
}

/** Returns the error for a session that does not exist. */
export function missing(session: SessionId): LogError {
  const message = `There is no session ${session} in the database; \`tidemark sessions\` lists the existing sessions.`;
  return new LogError('log/missing', message, { session });
}

/** Bytes of records that follow each other. */
export interface LinesPiece {
  /** Position after the last record. */
  readonly next: number;
  /** Offset of the first byte in the session's own records. */
  readonly at_byte: number;
  readonly lines: Buffer;
}

/** Size of a piece, in bytes. A piece has at least one record, whatever its size. */
const PIECE = 262_144;

/** Yields the stored bytes of a session's own records in pieces. */
export async function* piecesOf(
  { database, tenant }: TenantSessions,
  session: SessionId,
  from: number,
  to: number,
): AsyncGenerator<LinesPiece> {
  const end = Math.min(to, Number.MAX_SAFE_INTEGER);
  for (let at = from; at < end;) {
    const [piece] = await database.call<LinesPiece>('read_records', [tenant, session, at, end, PIECE]);
    if (piece === undefined) return;
    yield piece;
    at = piece.next;
  }
}

/**
 * Returns the beginning of a session.
 *
 * @throws LogError `log/missing` when the session has no record, `log/damaged` when its first record is damaged.
 */
export async function begin(sessions: TenantSessions, session: SessionId): Promise<SessionBeginning> {
  const { start } = await headOf(sessions, session);
  for await (const { lines } of piecesOf(sessions, session, start, start + 1)) {
    return readBeginning(session, session, firstLine(lines), nodeBytes);
  }
  throw missing(session);
}

function firstLine(lines: Buffer): Buffer {
  const end = lines.indexOf(0x0a);
  return end === -1 ? lines : lines.subarray(0, end + 1);
}

/** Returns the segments of a session's log, across the session and all its ancestors. */
export function lineage(sessions: TenantSessions, session: SessionId): Promise<Lineage> {
  return lineageOf(session, (name) => begin(sessions, name));
}

/** Yields the records `from` (inclusive) to `to` (exclusive), including those of ancestors, in batches. */
export async function* readSession(
  sessions: TenantSessions,
  session: SessionId,
  from: number,
  to: number,
): AsyncGenerator<readonly Recorded[]> {
  const origins = await lineage(sessions, session);
  yield* readLineage(origins, from, to, (name, first, end) => readOwn(sessions, name, first, end));
}

/** Yields the session's own records in batches. Sound records before damage are yielded before the error is thrown. */
export async function* readOwn(
  sessions: TenantSessions,
  session: SessionId,
  from: number,
  to: number,
): AsyncGenerator<readonly Recorded[]> {
  const { start } = await headOf(sessions, session);
  yield* scan(sessions, session, { start, from: Math.max(from, start), to });
}

/** Records that a scan reads: positions of the first own record, of the first record and after the last one. */
interface ScanRange {
  readonly start: number;
  readonly from: number;
  readonly to: number;
  /** True to check the records without decoding them. */
  readonly isCheck?: boolean;
}

/** Reads records in order, and returns the reader: its tip and offset are the end of the sound records. */
export async function* scan(
  sessions: TenantSessions,
  session: SessionId,
  { start, from, to, isCheck = false }: ScanRange,
): AsyncGenerator<readonly Recorded[], RecordReader> {
  const readerAt = (offset: number): RecordReader => {
    const tip: Tip = { ...EMPTY_TIP, length: from };
    const range: ReadFrom = { path: session, tip, offset, line: from - start + 1, from: isCheck ? Infinity : from, to };
    return createRecordReader(range, nodeBytes);
  };
  let reader: RecordReader | undefined;
  for await (const { lines, at_byte } of piecesOf(sessions, session, from, to)) {
    reader ??= readerAt(at_byte);
    const { records, failure } = reader.read(lines);
    if (records.length > 0) yield records;
    if (failure !== undefined) throw failure;
    if (reader.done) break;
  }
  reader ??= readerAt(0);
  const failure = reader.end();
  if (failure !== undefined) throw failure;
  return reader;
}

/** Returns the record at a position, or `undefined` if the log ends before it. */
export async function recordAt(
  sessions: TenantSessions,
  session: SessionId,
  position: number,
): Promise<Recorded | undefined> {
  for await (const [record] of readSession(sessions, session, position, position + 1)) return record;
  return undefined;
}
