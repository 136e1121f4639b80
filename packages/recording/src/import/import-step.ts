// Types of the steps that an import yields, and of its result.

import type { Digest, Event, Position, SessionCreated, SessionId, Timestamp } from '@tidemark/log';
import type { KeptBytes } from './build/draft.ts';
import type { FormatName } from './format/format.ts';

/** Line, or part of a line, that could not be read, with the reason. */
export interface SkippedLine {
  /** Number of the line, from 1. */
  readonly line: number;
  readonly reason: string;
}

/** Start of a session in an import. */
export interface SessionStep {
  readonly type: 'session';
  readonly session: SessionId;
  /** For a fork, the record of the parent after which the fork starts. An earlier step contained this record. */
  readonly parent?: { readonly session: SessionId; readonly position: Position };
  readonly at: Timestamp;
  /** Data of the session's first record, without the chain digest of the parent. Only a store knows this digest. */
  readonly created: Omit<SessionCreated, 'parent'>;
}

/** Events of a session, in order. They follow the events of earlier steps. */
export interface EventsStep {
  readonly type: 'events';
  readonly session: SessionId;
  readonly events: readonly Event[];
  /** Bytes to which the events refer. They must be stored before the events are appended. */
  readonly artifacts: readonly KeptBytes[];
}

/** End of a session: no more events follow. */
export interface ClosedStep {
  readonly type: 'closed';
  readonly session: SessionId;
}

/**
 * Step of an import. The start of a session comes before its events. The record after which a fork starts comes before
 * the start of the fork.
 */
export type ImportStep = SessionStep | EventsStep | ClosedStep;

/** Recorded requests of an import. */
export interface ImportedRequests {
  readonly recorded: number;
  /** Number of these requests that are not completely in the file. Their bodies cannot be rebuilt. */
  readonly incomplete: number;
}

/** Summary of an import: its sessions, skipped lines and totals. */
export interface ImportOutcome {
  readonly format: FormatName;
  /** Session of the main conversation. */
  readonly session: SessionId;
  /** All sessions, in the order in which they start. */
  readonly sessions: readonly SessionId[];
  /** SHA-256 of the file. */
  readonly digest: Digest;
  readonly lines: number;
  readonly skipped: readonly SkippedLine[];
  /**
   * Number of answers with usage in all sessions. The calls of these answers can be replayed at their recorded size.
   */
  readonly calls: number;
  readonly requests: ImportedRequests;
  /** Number of events in all sessions, including the first record of each session. */
  readonly events: number;
}
