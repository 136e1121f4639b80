// Moves: the meaning of transcript records in the terms of this project, the same for every format. The reader of a
// format turns records into moves, in the order of the file. The builder turns moves into events and closes every call.

import type {
  AnswerPart,
  CallId,
  ContentPart,
  DiagnosisRecord,
  Digest,
  Json,
  ObservedMarker,
  SessionId,
  StopReason,
  Timestamp,
  Usage,
} from '@tidemark/log';

/** Record from which a move was read, with its place in the file and its time. */
export interface From {
  /** Index of the record in the file, from 0. */
  readonly ordinal: number;
  /** Line of the record, from 1. */
  readonly line: number;
  readonly at: Timestamp;
  readonly record: Json;
}

/** Model that wrote an answer, and the start time of the request. */
export interface Answerer {
  readonly provider: string;
  readonly model: string;
  readonly startedAt?: Timestamp;
  /** Name of the recorded request that the answer belongs to. */
  readonly request?: string;
}

/** Prompt of a user or of a parent agent. */
export interface PromptMove {
  readonly type: 'prompt';
  readonly from: From;
  readonly parts: readonly ContentPart[];
  readonly presenter: string;
  readonly trigger: 'user' | 'subagent';
  /** True if the file shows that the prompt was sent into a running turn. */
  readonly steer?: boolean;
  /** True if the prompt is the text with which the recorded program marks that the user interrupted the turn. */
  readonly interrupts?: boolean;
}

/** Text that the recorded program added to the context and that is not a prompt. */
export interface NoteMove {
  readonly type: 'note';
  readonly from: From;
  readonly source: string;
  readonly body: string;
}

/**
 * Message of the recorded program to the model about something outside the conversation, for example the end of a
 * background task.
 */
export interface NotificationMove {
  readonly type: 'notification';
  readonly from: From;
  readonly source: string;
  readonly provenance: string;
  readonly body: string;
}

/** Complete answer of a model. */
export interface AnswerMove extends Answerer {
  readonly type: 'answer';
  readonly from: From;
  readonly parts: readonly AnswerPart<CallId>[];
  readonly stop: StopReason;
  readonly stopRaw?: string;
  readonly response?: string;
  readonly truncated: 'yes' | 'no' | 'unknown';
  readonly usage: Usage;
  readonly diagnosis?: DiagnosisRecord;
}

/** Answer that was cut off before its end, by the user or by the connection. */
export interface InterruptedMove extends Answerer {
  readonly type: 'interrupted';
  readonly from: From;
  readonly by: 'user' | 'transport';
  readonly parts: readonly AnswerPart<CallId>[];
  readonly usage?: Usage;
  readonly message?: string;
}

/** Failed call to a model. */
export interface FailedMove {
  readonly type: 'failed';
  readonly from: From;
  readonly class: 'retryable' | 'compaction' | 'refused' | 'stop';
  readonly code: string;
  readonly message: string;
  readonly startedAt?: Timestamp;
}

/** Result of a tool call. */
export interface ResultMove {
  readonly type: 'result';
  readonly from: From;
  readonly call: CallId;
  readonly error: boolean;
  readonly parts: readonly ContentPart[];
  readonly durationMs?: number;
}

/** Compaction: the replacement of a part of the history by a summary. */
export interface CompactionMove {
  readonly type: 'compaction';
  readonly from: From;
  readonly summary: string;
  readonly trigger: string;
  /** Ordinal of the record that names the first kept record. Absent if this is the record in `from`. */
  readonly boundary?: number;
  /** Recorded number of tokens before the compaction. */
  readonly before?: number;
}

/**
 * Reasoning setting that applies from this record on. With `silent`, the file only states the current setting, and the
 * setting did not change here.
 */
export interface ReasoningMove {
  readonly type: 'reasoning';
  readonly from: From;
  readonly setting: string;
  readonly silent?: true;
}

/** Summary of a branch that the conversation left. */
export interface BranchMove {
  readonly type: 'branch';
  readonly from: From;
  readonly text: string;
}

/** Start of a subagent, which has its own session. */
export interface SubagentMove {
  readonly type: 'subagent';
  readonly from: From;
  readonly child: SessionId;
  readonly task: string;
}

/** Request as the recorded program sent it. */
export interface RequestMove {
  readonly type: 'request';
  readonly from: From;
  readonly name: string;
  readonly provider: string;
  readonly model: string;
  readonly purpose?: string;
  readonly version?: string;
  readonly parameters: { readonly [name: string]: Json };
  readonly front?: Digest;
  /** All messages of the request. `undefined` stands for a message that the file does not name. */
  readonly messages: readonly (Digest | undefined)[];
  /** True if the content of a digest is in the file. */
  readonly isKept: (digest: Digest) => boolean;
  readonly markers: readonly ObservedMarker[];
  readonly digest?: Digest;
  readonly leftOut?: readonly string[];
  readonly rest?: Json;
}

/** End of a turn, for a format that marks it. */
export interface EndMove {
  readonly type: 'end';
  readonly from: From;
}

/**
 * Record that has no matching event kind. It is kept unchanged. `reason` states why if the record is damaged or
 * unexpected.
 */
export interface ForeignMove {
  readonly type: 'foreign';
  readonly from: From;
  readonly reason?: string;
}

/** Move of any type. */
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
  | RequestMove
  | EndMove
  | ForeignMove;
