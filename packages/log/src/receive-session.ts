// Receives the records of a session from another store. It checks all lines and processes one call at a time. The
// storage only writes them.

import type { BytePort } from './codec/line.ts';
import type { CheckedLines } from './codec/read-lines.ts';
import { checkLines, readLines, tipBefore } from './codec/read-lines.ts';
import type { Tip } from './codec/tip.ts';
import { LogError } from './errors.ts';
import type { Parent } from './events/session.ts';
import type { SessionId } from './ids.ts';
import type { RawLines, ReceivedSession } from './port.ts';

/** Storage of a session that receives records. The lock of the session is held. */
export interface ReceiverStorage {
  /** Path of the log in error messages. */
  readonly path: string;
  /** True if the session exists for readers. */
  readonly isComplete: boolean;
  /** Yields the stored bytes of the session's own records in pieces. */
  pieces(): AsyncIterable<Uint8Array>;
  /** Removes all bytes after an offset. `tip` is the state of the log there. */
  cut(tip: Tip, offset: number): Promise<void>;
  /**
   * Writes all lines or nothing, after the offset.
   *
   * @throws LogError `log/write-failed` or `log/moved`.
   */
  write(added: CheckedLines, before: Tip, offset: number): Promise<void>;
  /**
   * Flushes all lines and makes the session exist.
   *
   * @throws LogError `log/flush-failed` or `log/moved`.
   */
  finish(tip: Tip, offset: number): Promise<void>;
  /** Releases the lock of the session. It is called once, also after a fault. */
  release(): Promise<void>;
}

/** Session that is received, and its parent. */
export interface ReceivedFork {
  readonly session: SessionId;
  readonly parent: Parent | undefined;
}

/**
 * Checks the stored records of a session and removes an incomplete record after them. Returns the session, which can
 * receive more records. Releases the lock if it throws.
 */
export async function receiveSession(
  received: ReceivedFork,
  storage: ReceiverStorage,
  bytes: BytePort,
): Promise<ReceivedSession> {
  try {
    const { tip, offset } = await endOf(linesOf(received, storage, bytes));
    await storage.cut(tip, offset);
    return receiverOf(received, { tip, offset }, storage, bytes);
  } catch (error) {
    await storage.release();
    throw error;
  }
}

/** End of the stored lines. */
interface LinesEnd {
  readonly tip: Tip;
  readonly offset: number;
}

function linesOf(
  { parent }: ReceivedFork,
  storage: ReceiverStorage,
  bytes: BytePort,
  from: number = Infinity,
): AsyncGenerator<RawLines, LinesEnd> {
  return readLines(storage.pieces(), { path: storage.path, parent, from }, bytes);
}

async function endOf(lines: AsyncGenerator<RawLines, LinesEnd>): Promise<LinesEnd> {
  for (;;) {
    const step = await lines.next();
    if (step.done === true) return step.value;
  }
}

function receiverOf(received: ReceivedFork, end: LinesEnd, storage: ReceiverStorage, bytes: BytePort): ReceivedSession {
  const { session, parent } = received;
  const begin: LinesEnd = { tip: tipBefore(parent), offset: 0 };
  let place = end;
  let { isComplete } = storage;
  let latch: unknown;
  let closing: Promise<void> | undefined;
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = (work: () => Promise<void>): Promise<void> => {
    if (closing !== undefined) return Promise.reject(closed(session));
    const run = last.then(() => {
      if (latch !== undefined) throw latched(session, latch);
      return work();
    });
    last = run.catch(() => undefined);
    return run;
  };
  const latching = (work: Promise<void>): Promise<void> =>
    work.catch((error: unknown) => {
      latch = error;
      throw error;
    });
  return {
    session,
    start: begin.tip.length,
    get length() {
      return place.tip.length;
    },
    get chain() {
      return place.tip.chain;
    },
    get isComplete() {
      return isComplete;
    },
    lines: (from = begin.tip.length) => linesOf(received, storage, bytes, from),
    append: (lines) =>
      inTurn(async () => {
        const added = checkLines(lines, place.tip, received, bytes);
        await latching(storage.write(added, place.tip, place.offset));
        place = { tip: added.tip, offset: place.offset + lines.length };
      }),
    discard: () =>
      inTurn(async () => {
        if (isComplete) throw exists(session);
        await latching(storage.cut(begin.tip, 0));
        place = begin;
      }),
    finish: () =>
      inTurn(async () => {
        if (place.tip.length === begin.tip.length) throw empty(session);
        await latching(storage.finish(place.tip, place.offset));
        isComplete = true;
      }),
    close: () => (closing ??= last.then(() => storage.release())),
  };
}

function exists(session: SessionId): LogError {
  const message = `Session ${session} exists in this store, so its records cannot be discarded.`;
  return new LogError('log/exists', message, { session });
}

function empty(session: SessionId): LogError {
  const message = `Session ${session} has received no record, so it cannot be completed.`;
  return new LogError('log/first-record', message, { session });
}

function closed(session: SessionId): LogError {
  const message = `The copy of session ${session} was closed; receive the session again.`;
  return new LogError('log/closed', message, { session });
}

function latched(session: SessionId, first: unknown): LogError {
  const code = first instanceof LogError ? first.code : 'log/write-failed';
  const message = `The copy of session ${session} stopped after an earlier error (${code}); close it and receive the session again.`;
  return new LogError('log/latched', message, { session, first: code }, first);
}

/** Returns the error for a session that exists with another parent than the session that is received. */
export function otherParent(session: SessionId): LogError {
  const message = `Session ${session} already exists in the other store, with another parent. Nothing was changed; these are two different sessions with the same id.`;
  return new LogError('log/exists', message, { session });
}
