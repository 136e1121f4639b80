// All event kinds with their payloads and the envelope. Adding a kind causes a type error in every fold until the fold
// handles it.

import type { Json } from '@tidemark/core';
import type * as call from './events/call.ts';
import type * as context from './events/context.ts';
import type * as observed from './events/observed.ts';
import type * as session from './events/session.ts';
import type * as tool from './events/tool.ts';
import type { Chain, Position, Timestamp, TurnId } from './ids.ts';

/** Payload type of each kind, in the order of the table in the design document. */
export interface EventData {
  readonly 'session.created': session.SessionCreated;
  readonly 'epoch.opened': context.EpochOpened;
  readonly 'context.noted': context.ContextNoted;
  readonly 'turn.started': session.TurnBegan;
  readonly 'turn.resumed': session.TurnBegan;
  readonly 'prompt.given': context.PromptGiven;
  readonly 'prompt.denied': session.PromptDenied;
  readonly 'notification.received': context.NotificationReceived;
  readonly 'request.prepared': call.RequestPrepared;
  readonly 'request.observed': observed.RequestObserved;
  readonly 'answer.received': call.AnswerReceived;
  readonly 'answer.failed': call.AnswerFailed;
  readonly 'answer.interrupted': call.AnswerInterrupted;
  readonly 'tool.started': tool.ToolStarted;
  readonly 'tool.returned': tool.ToolEnded;
  readonly 'tool.failed': tool.ToolEnded;
  readonly 'tool.abandoned': tool.ToolAbandoned;
  readonly 'tool.charged': tool.ToolCharged;
  readonly 'permission.decided': tool.PermissionDecided;
  readonly 'mode.changed': session.ModeChanged;
  readonly 'agent.chosen': session.AgentChosen;
  readonly 'foreign.recorded': session.ForeignRecorded;
  readonly 'tools.changed': context.ToolsChanged;
  readonly 'reasoning.changed': context.ReasoningChanged;
  readonly 'reasoning.set': context.ReasoningSet;
  readonly 'role.changed': context.RoleChanged;
  readonly 'skill.loaded': context.SkillLoaded;
  readonly 'history.compacted': context.HistoryCompacted;
  readonly 'compaction.refused': context.CompactionRefused;
  readonly 'history.pruned': context.HistoryPruned;
  readonly 'block.quarantined': context.BlockQuarantined;
  readonly 'pressure.crossed': context.PressureCrossed;
  readonly 'memory.changed': session.MemoryChanged;
  readonly 'subagent.started': session.SubagentStarted;
  readonly 'subagent.ended': session.SubagentEnded;
  readonly 'process.started': session.ProcessStarted;
  readonly 'process.ended': session.ProcessEnded;
  readonly 'branch.summarized': context.BranchSummarized;
  readonly 'turn.ended': session.TurnEnded;
}

/** Name of an event kind: a noun, a dot and a verb in the past tense. */
export type Kind = keyof EventData;

/** Event of one kind before it is appended. Its fields are set by the caller of `append`. */
export type EventOf<K extends Kind> = {
  readonly kind: K;
  readonly at: Timestamp;
  readonly turn?: TurnId;
  readonly data: EventData[K];
};

/** Any event before it is appended. */
export type Event = { [K in Kind]: EventOf<K> }[Kind];

/** Fields that the log adds to an event when it is appended. */
export interface Placed {
  /** Codec revision of the payload. */
  readonly v: 1;
  readonly position: Position;
  /**
   * Number of the writer that appended the record. Each new writer of the log has a higher number than all writers
   * before it.
   */
  readonly fence: number;
  /** Running digest over all records up to and including this one. */
  readonly chain: Chain;
}

/** Event of one kind as recorded in the log. */
export type RecordedOf<K extends Kind> = EventOf<K> & Placed;

/** Record of a kind that this build does not know. It is kept and shown, but has no effect. */
export interface RecordedUnknown extends Placed {
  readonly kind: 'unknown';
  /** Name of the kind as it was written. */
  readonly name: string;
  readonly at: Timestamp;
  readonly turn?: TurnId;
  readonly data: Json;
}

/** Any event as recorded in the log. */
export type Recorded = { [K in Kind]: RecordedOf<K> }[Kind] | RecordedUnknown;
