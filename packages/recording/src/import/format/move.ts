// What a record of any format means, in the terms of this project and in arrival order. A format's reader makes moves;
// the builder makes events of them and keeps the history closed.

import type { AnswerPart, CallId, ContentPart, Json, SessionId, StopReason, Timestamp, Usage } from '@tidemark/log';

/** The record a move was read from. */
export interface From {
  /** Counts the records of the file from 0. */
  readonly ordinal: number;
  /** 1-based line. */
  readonly line: number;
  readonly at: Timestamp;
  readonly record: Json;
}

/** Which model answered. */
export interface Answerer {
  readonly provider: string;
  readonly model: string;
  readonly startedAt?: Timestamp;
}

/** Somebody said something. */
export interface PromptMove {
  readonly type: 'prompt';
  readonly from: From;
  readonly parts: readonly ContentPart[];
  readonly presenter: string;
  readonly trigger: 'user' | 'subagent';
  /** Sent into a running turn, as the file says. */
  readonly steer?: boolean;
  /** The user stopped the turn with it. */
  readonly interrupts?: boolean;
}

/** Text that stood in the context without being anybody's prompt. */
export interface NoteMove {
  readonly type: 'note';
  readonly from: From;
  readonly source: string;
  readonly body: string;
}

/** The program told the model of something that happened beside the conversation: a task in the background has ended. */
export interface NotificationMove {
  readonly type: 'notification';
  readonly from: From;
  readonly source: string;
  readonly provenance: string;
  readonly body: string;
}

/** A finished answer. */
export interface AnswerMove extends Answerer {
  readonly type: 'answer';
  readonly from: From;
  readonly parts: readonly AnswerPart<CallId>[];
  readonly stop: StopReason;
  readonly stopRaw?: string;
  readonly response?: string;
  readonly truncated: 'yes' | 'no' | 'unknown';
  readonly usage: Usage;
}

/** An answer that was cut. */
export interface InterruptedMove extends Answerer {
  readonly type: 'interrupted';
  readonly from: From;
  readonly by: 'user' | 'transport';
  readonly parts: readonly AnswerPart<CallId>[];
  readonly usage?: Usage;
  readonly message?: string;
}

/** A call to the model that failed. */
export interface FailedMove {
  readonly type: 'failed';
  readonly from: From;
  readonly class: 'retryable' | 'compaction' | 'refused' | 'stop';
  readonly code: string;
  readonly message: string;
  readonly startedAt?: Timestamp;
}

/** What a tool gave back. */
export interface ResultMove {
  readonly type: 'result';
  readonly from: From;
  readonly call: CallId;
  readonly error: boolean;
  readonly parts: readonly ContentPart[];
  readonly durationMs?: number;
}

/** History was replaced by a summary. */
export interface CompactionMove {
  readonly type: 'compaction';
  readonly from: From;
  readonly summary: string;
  readonly trigger: string;
  /** The record that says from where history is kept, if it is another than this. */
  readonly boundary?: number;
  /** Tokens before, as recorded. */
  readonly before?: number;
}

/** The reasoning setting changed. `silent`: the file tells which setting is in force, not that someone changed it. */
export interface ReasoningMove {
  readonly type: 'reasoning';
  readonly from: From;
  readonly setting: string;
  readonly silent?: true;
}

/** A branch that was left was summarised. */
export interface BranchMove {
  readonly type: 'branch';
  readonly from: From;
  readonly text: string;
}

/** A subagent began its own session. */
export interface SubagentMove {
  readonly type: 'subagent';
  readonly from: From;
  readonly child: SessionId;
  readonly task: string;
}

/** A record that has no event here. */
export interface ForeignMove {
  readonly type: 'foreign';
  readonly from: From;
  readonly reason?: string;
}

/** Any of them. */
export type ImportedMove =
  | PromptMove
  | NoteMove
  | NotificationMove
  | AnswerMove
  | InterruptedMove
  | FailedMove
  | ResultMove
  | CompactionMove
  | ReasoningMove
  | BranchMove
  | SubagentMove
  | ForeignMove;
