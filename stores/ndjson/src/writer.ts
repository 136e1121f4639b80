// The single writer of a session. The writer holds the lock for its whole life. After its first fault, the writer
// refuses every further call, because the file could differ from the state in memory.

import type { Appended, Chain, Event, LogErrorCode, LogWriter, Parent, SessionId, Tip } from '@tidemark/log';
import { LogError, checkBeginning, encodeRecords, position } from '@tidemark/log';
import type { LogFile } from './file-port.ts';
import type { Waypoints } from './home.ts';
import type { Lease } from './lease.ts';
import { nodeBytes } from './read-log.ts';

/** The parts of a writer. The caller has opened and checked all of them. */
export interface WriterParts {
  readonly session: SessionId;
  readonly parent: Parent | undefined;
  readonly path: string;
  readonly file: LogFile;
  readonly lease: Lease;
  readonly waypoints: Waypoints;
  /** End of the log: `tip` is the state after the last record, and `size` is the length of the file in bytes. */
  readonly tip: Tip;
  readonly size: number;
}

/** Log writer that uses files. It processes one call at a time, in the order of the calls. */
export class NdjsonWriter implements LogWriter {
  readonly session: SessionId;
  readonly fence: number;
  readonly #parts: WriterParts;
  #tip: Tip;
  #size: number;
  /**
   * True until the first flush. A previous writer may have been killed between its write and its flush, so the first
   * flush is always done.
   */
  #unflushed = true;
  #latch: LogError | undefined;
  #closing: Promise<void> | undefined;
  #last: Promise<unknown> = Promise.resolve();

  constructor(parts: WriterParts) {
    this.session = parts.session;
    this.fence = parts.tip.fence + 1;
    this.#parts = parts;
    this.#tip = parts.tip;
    this.#size = parts.size;
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
    const actual = this.#tip.length;
    if (expected !== actual) return { ok: false, conflict: { expected, actual } };
    checkBeginning(events, this.session, this.#parts.parent, this.#size === 0);
    const { lines, records, tip, replaced } = encodeRecords(events, this.#tip, this.fence, nodeBytes);
    if (events.length > 0) await this.#write(lines);
    this.#tip = tip;
    this.#parts.waypoints.learn(this.session, { length: tip.length, offset: this.#size });
    return { ok: true, position: position(actual), records, replaced };
  }

  async #write(lines: Uint8Array): Promise<void> {
    const { file } = this.#parts;
    await this.#checkSize();
    this.#unflushed = true;
    try {
      await file.append(lines);
    } catch (cause) {
      throw this.#latched(
        'log/write-failed',
        `could not be written (${reasonOf(cause)}); ${await this.#rollBack()}`,
        cause,
      );
    }
    this.#size += lines.length;
  }

  async #checkSize(): Promise<void> {
    const size = await this.#parts.file.size();
    if (size === this.#size) return;
    const what = size === -1 ? 'was removed' : `is ${size} bytes long, but its writer left it at ${this.#size} bytes`;
    throw this.#latched('log/moved', `${what}: another program changed it. Nothing was written`);
  }

  async #rollBack(): Promise<string> {
    try {
      await this.#parts.file.truncate(this.#size);
      return 'the file has its previous length again';
    } catch (error) {
      return `its incomplete end could not be removed (${reasonOf(error)}), and the next writer will remove it`;
    }
  }

  async #flush(): Promise<void> {
    if (!this.#unflushed) return;
    try {
      await this.#parts.file.flush();
    } catch (cause) {
      const problem = `could not be flushed (${reasonOf(cause)}); records appended since the last flush may not be on the disk`;
      throw this.#latched('log/flush-failed', problem, cause);
    }
    this.#unflushed = false;
  }

  async #release(): Promise<void> {
    try {
      if (this.#latch === undefined) await this.#flush();
    } finally {
      await this.#parts.file.close();
      this.#parts.lease.release();
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

  #latched(code: LogErrorCode, what: string, cause?: unknown): LogError {
    const { path } = this.#parts;
    const message = `${path} ${what}. This writer accepts no more records; close it, check the disk, and open the session again.`;
    this.#latch = new LogError(code, message, { session: this.session, path, length: this.#tip.length }, cause);
    return this.#latch;
  }
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

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
