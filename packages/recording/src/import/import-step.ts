// Steps that an import yields, and its result.

import type { Digest, Event, Position, SessionCreated, SessionId, Timestamp } from '@tidemark/log';
import type { KeptBytes } from './build/draft.ts';
import type { FormatName } from './format/format.ts';

/** Line, or part of a line, that could not be read. */
export interface SkippedLine {
  /** Number of the line, from 1. */
  readonly line: number;
  readonly reason: string;
}

/** Start of a session. */
export interface SessionStep {
  readonly type: 'session';
  readonly session: SessionId;
  /** For a fork: the record of the parent after which the fork starts. This record was yielded before. */
  readonly parent?: { readonly session: SessionId; readonly position: Position };
  readonly at: Timestamp;
  /** Data of the first record, without the parent's chain digest, which only a store knows. */
  readonly created: Omit<SessionCreated, 'parent'>;
}

/** Events of a session, in order, after the events that were already yielded. */
export interface EventsStep {
  readonly type: 'events';
  readonly session: SessionId;
  readonly events: readonly Event[];
  /** Bytes that the events name. They must be stored before the events are appended. */
  readonly artifacts: readonly KeptBytes[];
}

/** End of a session: no more events follow. */
export interface ClosedStep {
  readonly type: 'closed';
  readonly session: SessionId;
}

/**
 * Step of an import. A session comes before its events, and a record of the parent comes before a fork that follows it.
 */
export type ImportStep = SessionStep | EventsStep | ClosedStep;

/** Result of an import. */
export interface ImportOutcome {
  readonly format: FormatName;
  /** Main session. */
  readonly session: SessionId;
  /** All sessions, in the order in which they start. */
  readonly sessions: readonly SessionId[];
  /** SHA-256 of the file. */
  readonly digest: Digest;
  readonly lines: number;
  readonly skipped: readonly SkippedLine[];
  /** Number of answers with usage in all sessions. These calls can be replayed at their recorded size. */
  readonly calls: number;
  /** Number of events in all sessions, including the first record of each. */
  readonly events: number;
}
