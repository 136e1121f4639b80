// The Log port: the interface that every store implements. Every store passes the contract suite in this package's
// `contract` folder, including its tests with failing writes and flushes.

import type { AbortSignalLike } from '@tidemark/core';
import type { Event, Recorded } from './event.ts';
import type { Parent, StartedBy } from './events/session.ts';
import type { Chain, Digest, Position, SessionId, Timestamp } from './ids.ts';

/**
 * Conflict of an append: the log has another length than the caller expected. The caller must read the new records and
 * decide again.
 */
export interface Conflict {
  readonly expected: number;
  /** Number of records in the log, ancestors included. */
  readonly actual: number;
}

/**
 * Result of an append: the position of the first new record and the records, or the conflict. A conflict is a returned
 * value, not an error.
 */
export type Appended =
  | {
      readonly ok: true;
      readonly position: Position;
      /**
       * Records in the form that a reader returns. Their payloads can be the objects that the caller passed, not
       * copies. The caller must not change these objects afterwards.
       */
      readonly records: readonly Recorded[];
      /**
       * Number of strings with lone surrogates, usually 0. UTF-8 cannot encode lone surrogates, so they were replaced
       * by U+FFFD.
       */
      readonly replaced: number;
    }
  | { readonly ok: false; readonly conflict: Conflict };

/**
 * The only writer of a session. It holds the session's lock until it is closed.
 *
 * A writer *latches* at the first fault of its storage. After that, `append` and `sync` throw `log/latched`, and the
 * caller can only call `close`. After `close`, `append` and `sync` throw `log/closed`.
 */
export interface LogWriter {
  readonly session: SessionId;
  /** Number of records in the log, ancestors included. Pass it as `expected` to the next append. */
  readonly length: number;
  /** Chain value after the last record. */
  readonly chain: Chain;
  readonly fence: number;
  /**
   * Appends records in order, in one write. When the promise resolves, readers can see the records. The records are not
   * flushed yet: see `sync`.
   *
   * @param expected Length of the log that the caller's decision is based on. If the log has another length, nothing is
   * written and the conflict is returned.
   * @throws LogError `log/invalid-event` or `log/first-record` when an event is not valid. Nothing was written, and the
   * writer can still be used.
   * @throws LogError `log/moved` when something else wrote to the log. Nothing was written, and the writer latches.
   * @throws LogError `log/write-failed` when the storage refused the write. This writer or the next one cuts the file
   * back to its previous length, and the writer latches.
   * @throws LogError `log/latched` after an earlier fault, `log/closed` after `close`.
   */
  append(events: readonly Event[], expected: number): Promise<Appended>;
  /**
   * Flushes the log. When the promise resolves, all records appended before the call are on stable storage and
   * therefore *acknowledged* (L8).
   *
   * @throws LogError `log/flush-failed` when the storage refused. Nothing is truncated, and the writer latches.
   * @throws LogError `log/latched` after an earlier fault, `log/closed` after `close`.
   */
  sync(): Promise<void>;
  /**
   * Flushes the log and releases the lock. The lock is released even if the flush fails. A latched writer does not
   * flush. A second call does nothing.
   *
   * @throws LogError `log/flush-failed` when the storage refused the flush.
   */
  close(): Promise<void>;
}

/** Store of large content outside the log, addressed by digest. Write an artifact before the record that names it. */
export interface Artifacts {
  /**
   * Stores the bytes from a stream or an array. Equal bytes are stored only one time.
   *
   * @throws LogError `artifact/write-failed` when the storage refuses, `artifact/unreachable` when a storage in the
   *   network does not answer.
   */
  put(bytes: AsyncIterable<Uint8Array> | Uint8Array): Promise<{ readonly digest: Digest; readonly size: number }>;
  /**
   * Streams the bytes of an artifact and checks them against the digest.
   *
   * @throws LogError `artifact/missing` when no artifact has this digest, `artifact/damaged` when its bytes do not
   *   match the digest, `artifact/read-failed` or `artifact/unreachable` when a storage in the network refuses or does
   *   not answer.
   */
  get(digest: Digest): AsyncIterable<Uint8Array>;
  has(digest: Digest): Promise<boolean>;
}

/** Saved state of the fold. Snapshots are derived data and may be deleted at any time (L9). */
export interface Snapshot {
  /** Number of records that the state was folded from. */
  readonly length: number;
  /** Chain value after these records. A store does not return a snapshot whose chain differs from the log's. */
  readonly chain: Chain;
  /** Name of the fold revision that wrote the state. A fold does not use a snapshot of another revision. */
  readonly revision: string;
  readonly bytes: Uint8Array;
}

/**
 * Named texts that the sessions of a store share. They are derived data: a text can be lost or deleted at any time
 * (L9).
 */
export interface SharedTexts {
  /** Returns the text that was stored last, or `undefined` if no text exists or the text cannot be read. */
  get(name: SharedName): Promise<string | undefined>;
  /**
   * Replaces the whole text, or changes nothing if the write fails. The text is not flushed.
   *
   * @throws Error of the storage when the write fails.
   */
  put(name: SharedName, text: string): Promise<void>;
}

/**
 * Names of shared texts. `warm-fronts`: index of the fronts that are in a provider's cache. `warm-families`: index of the
 * cache entries that the sessions of one root left.
 */
export type SharedName = 'warm-fronts' | 'warm-families';

/**
 * Bytes of files before tools changed them, so that a person can restore a file. The bytes are not masked. They are
 * outside of the log and the artifacts, and no tool can read them. The size is limited: the oldest bytes of a session
 * are removed first. Bytes can be lost at any time, and then the file cannot be restored.
 */
export interface UndoStore {
  /** Maximum size of the bytes of one file. */
  readonly largest: number;
  /**
   * Keeps the bytes of a file for a session. Returns their digest, or `undefined` if there are more than `largest`
   * bytes.
   *
   * @throws Error of the storage when the bytes cannot be written.
   */
  keep(session: SessionId, bytes: Uint8Array): Promise<Digest | undefined>;
  /**
   * Returns the bytes that the session or one of its ancestors kept. Returns `undefined` if they are not kept any more
   * or are damaged.
   */
  get(session: SessionId, digest: Digest): Promise<Uint8Array | undefined>;
}

/** Session as listed by `sessions`. */
export interface SessionSummary {
  readonly session: SessionId;
  readonly root: SessionId;
  readonly parent?: Parent;
  /**
   * Tool call in another session that started this session as its subagent. Absent if the session is not a subagent.
   */
  readonly startedBy?: StartedBy;
  readonly workspace: string;
  readonly title?: string;
  readonly createdAt: Timestamp;
  /** Time of the last change to the session's log file, as reported by the storage. */
  readonly changedAt?: Timestamp;
  /** Size of the session's own log file in bytes. Absent if the store has no such file. */
  readonly bytes?: number;
}

/** Session that `sessions` cannot list because its log cannot be read, with the reason. */
export interface UnreadableSession {
  readonly session: string;
  readonly reason: string;
}

/**
 * Filter of `sessions`. An absent field matches every session. `since` (inclusive) and `until` (exclusive) apply to
 * `createdAt`.
 */
export interface SessionFilter {
  readonly workspace?: string;
  readonly parent?: SessionId;
  readonly since?: Timestamp;
  readonly until?: Timestamp;
}

/** Lines of a session's own records that follow each other, as they are stored. */
export interface RawLines {
  /** The lines, each with its newline. The bytes are valid until the next lines are requested. */
  readonly bytes: Uint8Array;
  /** Number of records in the log up to the last of these lines, ancestors included. */
  readonly length: number;
  /** Chain value after the last of these lines. */
  readonly chain: Chain;
}

/** A session whose lock is held, so that its records can be copied to another store and removed here. */
export interface LockedSession {
  readonly session: SessionId;
  readonly parent: Parent | undefined;
  /** Position of the session's first own record. */
  readonly start: number;
  /**
   * Yields the lines of the session's own records from a position (default: all). The layout, the checksum, the position,
   * the fence and the chain of each line are checked. An incomplete record at the end of the log is not yielded.
   *
   * @throws LogError `log/damaged` or `log/unknown-revision` after all valid lines before that place.
   */
  lines(from?: number): AsyncIterable<RawLines>;
  /**
   * Removes the session and everything that only this session uses. Artifacts stay. A process that is killed meanwhile
   * leaves the session either whole or removed for all readers. The lock stays held until `close`.
   *
   * @throws LogError `log/moved` when another writer took the session over, `log/write-failed` when the storage refused.
   */
  remove(): Promise<void>;
  /** Releases the lock. A second call does nothing. */
  close(): Promise<void>;
}

/**
 * A session that receives its records from another store. Its lock is held. Until `finish`, a new session does not
 * exist for all other functions of the store, and `create` with its id discards what was received.
 */
export interface ReceivedSession {
  readonly session: SessionId;
  /** Position of the session's first own record. */
  readonly start: number;
  /** Number of records that are stored, ancestors included. Equal to `start` if there is none. */
  readonly length: number;
  /** Chain value after the last stored record. */
  readonly chain: Chain;
  /** True if the session exists for readers: it existed before, or `finish` has returned. */
  readonly isComplete: boolean;
  /** Yields the lines that are stored, in the same way as `LockedSession.lines`. */
  lines(from?: number): AsyncIterable<RawLines>;
  /**
   * Appends whole lines, in one write. The lines are checked in the same way as by `LockedSession.lines`, and must follow
   * the stored records. They are not flushed yet: see `finish`.
   *
   * @throws LogError `log/damaged` when a line is not valid or does not follow, `log/first-record` when the first line
   *   does not begin this session. Nothing was written.
   * @throws LogError `log/write-failed` or `log/moved` as `LogWriter.append`, `log/latched` after an earlier fault.
   */
  append(lines: Uint8Array): Promise<void>;
  /**
   * Removes all received lines of a session that is not complete, so that it can be received from its beginning.
   *
   * @throws LogError `log/exists` when the session is complete.
   */
  discard(): Promise<void>;
  /**
   * Flushes all lines and makes the session exist. When the promise resolves, both are on stable storage. The lock stays
   * held until `close`.
   *
   * @throws LogError `log/flush-failed` when the storage refused, `log/first-record` when there is no record.
   */
  finish(): Promise<void>;
  /**
   * Releases the lock. What was received is kept, and a later `receive` goes on after it. A second call does nothing.
   */
  close(): Promise<void>;
}

/**
 * Bytes of the sessions of a store, for moving a session to another store. The records keep their bytes, so their
 * positions, chain and digests are the same there.
 */
export interface RawSessions {
  /**
   * Takes the lock of a session and flushes its records, to copy them. Nothing else is changed.
   *
   * @throws LogError `log/missing`, `log/locked`, or `log/damaged` when the first record is damaged.
   * @throws LogError `log/flush-failed` when the records could not be flushed.
   */
  hold(session: SessionId): Promise<LockedSession>;
  /**
   * Takes the lock of a session to receive records of another store. The session can be new, can have been received in
   * part, or can exist. A fork needs its ancestors in this store.
   *
   * @param parent Parent that the session has in the other store.
   * @throws LogError `log/locked`, `log/parent-missing` or `log/parent-diverged` as `Log.create`.
   * @throws LogError `log/exists` when a session with this id and another parent exists.
   * @throws LogError `log/damaged` when a stored record is damaged.
   */
  receive(session: SessionId, parent?: Parent): Promise<ReceivedSession>;
}

/** Store of sessions: the interface that every store implements. */
export interface Log {
  /**
   * Creates a session and takes its lock. The first record that the caller appends must be a `session.created` event
   * with this id and parent. Until that record is written, the session does not exist. If the writer is closed before
   * then, the id can be created again.
   *
   * With `parent`, the session is a fork: it refers to the parent's records up to that position, and its own positions
   * and chain continue from there. When the promise resolves, those records are on stable storage, even if another
   * process is writing the parent.
   *
   * @throws LogError `log/exists` when the session exists, `log/locked` when another writer holds the lock.
   * @throws LogError `log/parent-missing` when the parent does not exist, `log/parent-diverged` when the parent has no
   *   record with this position and chain.
   * @throws LogError `log/flush-failed` when the parent's records could not be flushed.
   */
  create(session: SessionId, parent?: Parent): Promise<LogWriter>;
  /**
   * Opens a session for writing and takes its lock. If the log ends in an incomplete record, this record is cut off.
   * Opening changes nothing else in the log.
   *
   * @throws LogError `log/missing` when the session does not exist, `log/locked` when another open writer holds the
   * lock, even a latched one.
   * @throws LogError `log/damaged` when a record is damaged, `log/unknown-revision` when a newer build wrote a record.
   * @throws LogError `log/parent-missing` or `log/parent-diverged` when a fork's ancestor is missing or has changed.
   */
  open(session: SessionId): Promise<LogWriter>;
  /**
   * Returns true if a writer, in this process or another one, has the session open. `open` would then throw
   * `log/locked`. Returns false for a session that does not exist. Changes nothing.
   */
  isOpen(session: SessionId): Promise<boolean>;
  /**
   * Yields the records from `from` (inclusive, default 0) to `to` (exclusive, default the end), ancestors included. The
   * memory use is bounded. An incomplete record at the end of the log is not yielded. Reading takes no lock and writes
   * nothing.
   *
   * @throws LogError `log/missing` when the session does not exist.
   * @throws LogError `log/damaged` with path, line, byte offset and phase, or `log/unknown-revision`, after all valid
   * records before that place.
   * @throws LogError `log/parent-missing` or `log/parent-diverged` when a fork's ancestor is missing or has changed.
   */
  read(session: SessionId, from?: number, to?: number): AsyncIterable<Recorded>;
  /**
   * Yields records like `read`. After that, it waits and yields each new record when it is appended. The iteration ends
   * when the signal aborts.
   *
   * @throws LogError as `read` does, and `log/moved` when a failed write removed records that were already yielded.
   */
  tail(session: SessionId, from: number, signal: AbortSignalLike): AsyncIterable<Recorded>;
  readonly artifacts: Artifacts;
  /**
   * Returns the snapshot that was stored last. Returns `undefined` if no snapshot exists, if it is damaged, if its
   * chain does not fit the log, or if it is not of the given `revision`. None of these cases is an error.
   */
  getSnapshot(session: SessionId, revision?: string): Promise<Snapshot | undefined>;
  putSnapshot(session: SessionId, snapshot: Snapshot): Promise<void>;
  /** Texts that the sessions of this store share. Absent if the store does not keep shared texts. */
  readonly shared?: SharedTexts;
  /** Bytes of files before tools changed them. Absent if the store does not keep them. */
  readonly undo?: UndoStore;
  /** Bytes of the sessions, for moving them. Absent if sessions cannot be moved from or to the store. */
  readonly raw?: RawSessions;
  /**
   * Lists all sessions that match the filter, newest first. Sessions that cannot be read are listed in `unreadable`.
   */
  sessions(
    filter?: SessionFilter,
  ): Promise<{ readonly sessions: readonly SessionSummary[]; readonly unreadable: readonly UnreadableSession[] }>;
}
