// The port between an update and the database: the place up to which each session was read, and the writing of new
// rows. An update decides by it what has to be read.

import type { LogTip, SessionEntries, SessionFacts } from './session-rows.ts';

/** Session as it was read last. */
export interface KnownSession {
  /** Mark of the session's file when it was listed before it was read. Empty if it was not listed. */
  readonly stamp: string;
  readonly problem: string | undefined;
}

/** Place from which the reading of a session continues. */
export interface RowsPlace extends LogTip {
  readonly facts: SessionFacts;
  /** State of the reader as JSON. `undefined` if the session has to be read from its start. */
  readonly state: string | undefined;
}

/** New rows of one session. */
export interface SessionWrite {
  readonly session: string;
  /** Place of the rows that are there. The write is refused if another process has moved it. */
  readonly before: LogTip | undefined;
  /** True to remove all rows of the session first. */
  readonly restart: boolean;
  readonly after: RowsPlace;
  readonly entries: SessionEntries;
  /** Absent if the reading continues. */
  readonly end?: ReadingEnd;
}

/** End of a reading. */
export interface ReadingEnd {
  /** Mark of the session's file before it was read, if it was listed. */
  readonly stamp: string | undefined;
  /** Reason why the session could not be read further. */
  readonly problem: string | undefined;
}

/** Rows of sessions in a database. */
export interface RowStore {
  /** Returns all sessions that were read, or that could not be read. */
  known(): Promise<ReadonlyMap<string, KnownSession>>;
  /** Returns the place from which the reading of a session continues, or `undefined` if it has no rows. */
  place(session: string): Promise<RowsPlace | undefined>;
  /**
   * Replaces the pending rows of a session by new rows, and changes the totals, in one transaction. Returns false and
   * writes nothing if another process has written the session since `before`.
   */
  write(rows: SessionWrite): Promise<boolean>;
  /** Records the end of a reading without new rows. The rows of the session stay. */
  end(session: string, end: ReadingEnd): Promise<void>;
  /** Removes all rows of a session. */
  remove(session: string): Promise<void>;
  /** Removes all rows. */
  empty(): Promise<void>;
}
