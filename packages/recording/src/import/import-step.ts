// What an import hands on, piece by piece, and what it came to.

import type { Digest, Event, Position, SessionCreated, SessionId, Timestamp } from '@tidemark/log';
import type { KeptBytes } from './build/draft.ts';
import type { FormatName } from './format/format.ts';

/** A line, or a part of one, that could not be read. */
export interface SkippedLine {
  /** 1-based. */
  readonly line: number;
  readonly reason: string;
}

/** A session begins. */
export interface SessionStep {
  readonly type: 'session';
  readonly session: SessionId;
  /** For a fork: the parent's record that it follows, which was handed on before. */
  readonly parent?: { readonly session: SessionId; readonly position: Position };
  readonly at: Timestamp;
  /** The first record, but for the parent's chain, which only a store knows. */
  readonly created: Omit<SessionCreated, 'parent'>;
}

/** Events of a session, in order, behind what was handed on of it. */
export interface EventsStep {
  readonly type: 'events';
  readonly session: SessionId;
  readonly events: readonly Event[];
  /** What they name, to be kept before they are appended. */
  readonly artifacts: readonly KeptBytes[];
}

/** Nothing more comes for this session. */
export interface ClosedStep {
  readonly type: 'closed';
  readonly session: SessionId;
}

/** One piece of an import. A session comes before its events, a parent's record before the fork that follows it. */
export type ImportStep = SessionStep | EventsStep | ClosedStep;

/** What an import came to. */
export interface ImportOutcome {
  readonly format: FormatName;
  /** The main session. */
  readonly session: SessionId;
  /** All of them, in order of their beginning. */
  readonly sessions: readonly SessionId[];
  /** SHA-256 of the file. */
  readonly digest: Digest;
  readonly lines: number;
  readonly skipped: readonly SkippedLine[];
  /** Answers with usage, in all sessions: the calls that can be replayed at their recorded size. */
  readonly calls: number;
  /** Events in all sessions, first records included. */
  readonly events: number;
}
