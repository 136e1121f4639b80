// The Log port: what a store promises. Every store passes the contract suite beside this package, faults included.

import type { AbortSignalLike } from '@tidemark/core';
import type { Event, Recorded } from './event.ts';
import type { Parent, StartedBy } from './events/session.ts';
import type { Chain, Digest, Position, SessionId, Timestamp } from './ids.ts';

/** A lost race: the log has grown since the caller looked. Re-read, decide again. */
export interface Conflict {
  readonly expected: number;
  /** How many records the log holds. */
  readonly actual: number;
}

/** What an append returns: the position of the first new record, or the lost race as a value. */
export type Appended =
  | {
      readonly ok: true;
      readonly position: Position;
      /** As a reader will get them. Their payloads are those that were given, not copies: who appends lets go of them. */
      readonly records: readonly Recorded[];
      /** How many strings had lone surrogates, which UTF-8 cannot hold and which were replaced by U+FFFD; 0 as a rule. */
      readonly replaced: number;
    }
  | { readonly ok: false; readonly conflict: Conflict };

/** The one writer of a session. It holds the session's lock until it is closed. */
export interface LogWriter {
  readonly session: SessionId;
  /** How many records the log holds, ancestors included: the `expected` of the next append. */
  readonly length: number;
  /** The chain behind the last record. */
  readonly chain: Chain;
  readonly fence: number;
  /**
   * Adds records at the end, in order, in one write; visible to readers when it returns. `expected` is the length the
   * caller decided on. It does not flush: see `sync`.
   *
   * @throws LogError `log/invalid-event`, `log/first-record`: nothing was written, the writer goes on.
   * @throws LogError `log/moved` when something else wrote to the log: nothing was written, the writer is latched.
   * @throws LogError `log/write-failed` when the medium refused; the file is back at its length, and the writer is
   * latched: every later call throws `log/latched`.
   */
  append(events: readonly Event[], expected: number): Promise<Appended>;
  /**
   * The barrier: when it returns, everything appended so far is on stable storage and so *acknowledged* (L8).
   *
   * @throws LogError `log/flush-failed`; nothing is truncated, and the writer is latched.
   */
  sync(): Promise<void>;
  /** Flushes and gives the lock back, in any case. A second call does nothing. @throws LogError `log/flush-failed`. */
  close(): Promise<void>;
}

/** Bytes kept outside the log, by digest. Written before the record that names them. */
export interface Artifacts {
  /** Streams the bytes in; equal bytes are kept once. */
  put(bytes: AsyncIterable<Uint8Array> | Uint8Array): Promise<{ readonly digest: Digest; readonly size: number }>;
  /** Streams the bytes out, checked against the digest. @throws LogError `artifact/missing` or `artifact/damaged`. */
  get(digest: Digest): AsyncIterable<Uint8Array>;
  has(digest: Digest): Promise<boolean>;
}

/** A saved state of the fold. Derived: it may be deleted at any time (L9). */
export interface Snapshot {
  /** The state after this many records. */
  readonly length: number;
  /** The chain behind them: a snapshot of another history is not used. */
  readonly chain: Chain;
  /** Names the fold that wrote it; another revision is not used. */
  readonly revision: string;
  readonly bytes: Uint8Array;
}

/** Texts that the sessions of a store leave for each other, by name. Derived: each may be lost or deleted at any time (L9). */
export interface SharedTexts {
  /** The text that was kept last; nothing where there is none, or none that can be read. */
  get(name: SharedName): Promise<string | undefined>;
  /** Replaces the text, whole or not at all. It is not flushed. @throws where the medium refused. */
  put(name: SharedName, text: string): Promise<void>;
}

/** `warm-fronts`: fronts of epochs that a provider's cache holds. */
export type SharedName = 'warm-fronts';

/** A session as it stands in a list. */
export interface SessionSummary {
  readonly session: SessionId;
  readonly root: SessionId;
  readonly parent?: Parent;
  /** The session and the call that a subagent works for. */
  readonly startedBy?: StartedBy;
  readonly workspace: string;
  readonly title?: string;
  readonly createdAt: Timestamp;
  /** When its file last changed, as the store knows it. */
  readonly changedAt?: Timestamp;
  /** Bytes of its own log file, where the store has one. */
  readonly bytes?: number;
}

/** What cannot be listed because it cannot be read, with the reason. */
export interface UnreadableSession {
  readonly session: string;
  readonly reason: string;
}

/** A filter for lists; absent fields match all. */
export interface SessionFilter {
  readonly workspace?: string;
  readonly parent?: SessionId;
  readonly since?: Timestamp;
  readonly until?: Timestamp;
}

/** A store of sessions. */
export interface Log {
  /**
   * Begins a session: takes its lock and makes its room. The first record must be `session.created` with this id.
   * A room without a record is no session yet: it can be created again.
   * With `parent` it is a fork by reference: positions and chain go on from there. What it refers to is on stable storage
   * when this returns, whoever writes the parent.
   *
   * @throws LogError `log/exists`, `log/locked`, `log/parent-missing`, `log/parent-diverged`, `log/flush-failed`.
   */
  create(session: SessionId, parent?: Parent): Promise<LogWriter>;
  /**
   * Opens a session for writing. Writes nothing but the cut of a torn tail.
   *
   * @throws LogError `log/missing`, `log/locked` (by a living writer, even a stopped one), `log/damaged`.
   */
  open(session: SessionId): Promise<LogWriter>;
  /**
   * Records from `from` (inclusive) to `to` (exclusive), ancestors included, in bounded memory. A torn tail is not a
   * record. Takes no lock and writes nothing.
   *
   * @throws LogError `log/missing`; `log/damaged` with path, line, byte offset and phase, after all sound records before it.
   */
  read(session: SessionId, from?: number, to?: number): AsyncIterable<Recorded>;
  /**
   * As `read`, then goes on as records are appended, until the signal aborts.
   *
   * @throws LogError `log/moved` when records that were shown were taken back by a failed write.
   */
  tail(session: SessionId, from: number, signal: AbortSignalLike): AsyncIterable<Recorded>;
  readonly artifacts: Artifacts;
  /** The latest usable snapshot (of this revision, if named), or nothing. Damage in a snapshot is no error: it is not used. */
  getSnapshot(session: SessionId, revision?: string): Promise<Snapshot | undefined>;
  putSnapshot(session: SessionId, snapshot: Snapshot): Promise<void>;
  /** What sessions leave for each other; absent where a store keeps nothing of the kind. */
  readonly shared?: SharedTexts;
  /** All sessions, newest first; those that cannot be read are named beside them. */
  sessions(
    filter?: SessionFilter,
  ): Promise<{ readonly sessions: readonly SessionSummary[]; readonly unreadable: readonly UnreadableSession[] }>;
}
