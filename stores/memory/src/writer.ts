// The one writer of a room.

import { LogError, checkBeginning, encodeRecords, position } from '@tidemark/log';
import type { Appended, Chain, Event, LogWriter, SessionId, Tip } from '@tidemark/log';
import { nodeBytes } from './node-bytes.ts';
import { extend } from './memory-backend.ts';
import type { SessionData } from './memory-backend.ts';

/** Holds its room until it is closed. */
export class MemoryWriter implements LogWriter {
  readonly session: SessionId;
  readonly fence: number;
  readonly #room: SessionData;
  #tip: Tip;
  #closed = false;

  /** Behind `tip`, which the caller read from the room. */
  constructor(room: SessionData, tip: Tip) {
    this.session = room.session;
    this.fence = tip.fence + 1;
    this.#room = room;
    this.#tip = tip;
  }

  get length(): number {
    return this.#tip.length;
  }

  get chain(): Chain {
    return this.#tip.chain;
  }

  async append(events: readonly Event[], expected: number): Promise<Appended> {
    this.#checkOpen();
    const actual = this.#tip.length;
    if (expected !== actual) return { ok: false, conflict: { expected, actual } };
    checkBeginning(events, this.session, this.#room.parent, this.#room.length === 0);
    const { lines, records, tip, replaced } = encodeRecords(events, this.#tip, this.fence, nodeBytes);
    extend(this.#room, lines);
    this.#tip = tip;
    return { ok: true, position: position(actual), records, replaced };
  }

  async sync(): Promise<void> {
    this.#checkOpen();
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#room.held = false;
  }

  #checkOpen(): void {
    if (!this.#closed) return;
    throw new LogError('log/closed', `The writer of session ${this.session} was closed; open the session again.`, {
      session: this.session,
    });
  }
}
