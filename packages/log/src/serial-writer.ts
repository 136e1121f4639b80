// Writer of a session over any storage. It processes one call at a time, in the order of the calls. After the first
// fault of the storage it refuses every further call, because the storage could differ from the state in memory.

import { checkBeginning } from './beginning.ts';
import type { EncodedRecords } from './codec/encode-records.ts';
import { encodeRecords } from './codec/encode-records.ts';
import type { BytePort } from './codec/line.ts';
import type { Tip } from './codec/tip.ts';
import { LogError } from './errors.ts';
import type { Event } from './event.ts';
import type { Parent } from './events/session.ts';
import type { Chain, SessionId } from './ids.ts';
import { position } from './ids.ts';
import type { Appended, LogWriter } from './port.ts';

/** Storage of one session, which is open for writing. Its functions are never called at the same time. */
export interface WriterStorage {
  /**
   * Writes the lines of all records, or nothing.
   *
   * @throws LogError `log/moved` or `log/write-failed`.
   */
  write(added: EncodedRecords, before: Tip): Promise<void>;
  /**
   * Flushes all records.
   *
   * @throws LogError `log/moved` or `log/flush-failed`.
   */
  flush(tip: Tip): Promise<void>;
  /** Releases the lock of the session. It is called once, also after a fault. */
  release(): Promise<void>;
}

/** Session that a writer writes: the state at the end of its log, and the number of the writer. */
export interface WrittenSession {
  readonly session: SessionId;
  readonly parent: Parent | undefined;
  readonly tip: Tip;
  readonly fence: number;
}

/** Creates the writer of a session. The storage holds the lock of the session. */
export function createSerialWriter(written: WrittenSession, storage: WriterStorage, bytes: BytePort): LogWriter {
  return new SerialWriter(written, storage, bytes);
}

class SerialWriter implements LogWriter {
  readonly session: SessionId;
  readonly fence: number;
  readonly #parent: Parent | undefined;
  readonly #storage: WriterStorage;
  readonly #bytes: BytePort;
  #tip: Tip;
  /**
   * True until the first flush. A previous writer may have been killed between its write and its flush, so the first
   * flush is always done.
   */
  #unflushed = true;
  #latch: LogError | undefined;
  #closing: Promise<void> | undefined;
  #last: Promise<unknown> = Promise.resolve();

  constructor({ session, parent, tip, fence }: WrittenSession, storage: WriterStorage, bytes: BytePort) {
    this.session = session;
    this.fence = fence;
    this.#parent = parent;
    this.#storage = storage;
    this.#bytes = bytes;
    this.#tip = tip;
  }

  get length(): number {
    return this.#tip.length;
  }

  get chain(): Chain {
    return this.#tip.chain;
  }

  append(events: readonly Event[], expected: number): Promise<Appended> {
    return this.#inTurn(() => this.#append(events, expected));
  }

  sync(): Promise<void> {
    return this.#inTurn(() => this.#flush());
  }

  close(): Promise<void> {
    this.#closing ??= this.#last.then(() => this.#release());
    return this.#closing;
  }

  async #append(events: readonly Event[], expected: number): Promise<Appended> {
    const before = this.#tip;
    const actual = before.length;
    if (expected !== actual) return { ok: false, conflict: { expected, actual } };
    checkBeginning(events, this.session, this.#parent, actual === (this.#parent?.position ?? -1) + 1);
    const added = encodeRecords(events, before, this.fence, this.#bytes);
    if (events.length > 0) {
      this.#unflushed = true;
      await this.#latching(() => this.#storage.write(added, before));
    }
    this.#tip = added.tip;
    return { ok: true, position: position(actual), records: added.records, replaced: added.replaced };
  }

  async #flush(): Promise<void> {
    if (!this.#unflushed) return;
    await this.#latching(() => this.#storage.flush(this.#tip));
    this.#unflushed = false;
  }

  async #release(): Promise<void> {
    try {
      if (this.#latch === undefined) await this.#flush();
    } finally {
      await this.#storage.release();
    }
  }

  async #latching(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.#latch = error instanceof LogError ? error : unknownFault(this.session, error);
      throw this.#latch;
    }
  }

  /**
   * Runs `work` after all earlier calls have ended. Rejects instead if the writer was closed, or if an earlier call
   * failed and set `#latch`.
   */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    if (this.#closing !== undefined) return Promise.reject(closedError(this.session));
    const run = this.#last.then(() => {
      if (this.#latch !== undefined) throw alreadyLatched(this.session, this.#latch);
      return work();
    });
    this.#last = run.catch(() => undefined);
    return run;
  }
}

function unknownFault(session: SessionId, cause: unknown): LogError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  const message = `The storage of session ${session} failed (${reason}). This writer accepts no more records; close it and open the session again.`;
  return new LogError('log/write-failed', message, { session }, cause);
}

function closedError(session: SessionId): LogError {
  return new LogError('log/closed', `The writer of session ${session} was closed; open the session again.`, {
    session,
  });
}

function alreadyLatched(session: SessionId, first: LogError): LogError {
  const message = `The writer of session ${session} stopped after an earlier error (${first.code}); close it and open the session again.`;
  return new LogError('log/latched', message, { session, first: first.code }, first);
}
