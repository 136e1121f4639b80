// Payloads of events about the session itself: its beginning, its turns, its settings, and the records of an import.

import type { Json } from '@tidemark/core';
import type { CallId, Chain, Digest, Money, Position, SessionId } from '../ids.ts';

/** Last record that a fork shares with its parent. The log of the fork continues after this record. */
export interface Parent {
  readonly session: SessionId;
  readonly position: Position;
  readonly chain: Chain;
}

/**
 * Tool call in another session that started this session as its subagent. Unlike a fork, a subagent shares no records
 * with that session.
 */
export interface StartedBy {
  readonly session: SessionId;
  readonly call: CallId;
  /** Nesting depth of the subagent: 1 if a session of a user started it. */
  readonly depth: number;
  /** Name of the own agent that the subagent is. Absent if the call named none. */
  readonly agent?: string;
  /** Model of the subagent. Absent if it is that of the session that started it. */
  readonly model?: string;
}

/**
 * Payload of `session.created`: record 0 of a session. In a fork, this is the first record after the records of its
 * parent.
 */
export interface SessionCreated {
  readonly id: SessionId;
  /** First ancestor, or the session itself if it has no parent. */
  readonly root: SessionId;
  readonly parent?: Parent;
  readonly startedBy?: StartedBy;
  /** Absolute path of the workspace. */
  readonly workspace: string;
  readonly title?: string;
  readonly imported?: ImportedFrom;
  /**
   * Model and provider that were chosen for the next request. They apply until this session opens an epoch, and are
   * absent if the first request follows at once.
   */
  readonly model?: string;
  readonly provider?: string;
}

/** File that an imported session was made from. */
export interface ImportedFrom {
  readonly format: string;
  readonly source: string;
  /** SHA-256 of the file at the time of the import. */
  readonly digest?: Digest;
  /**
   * Length in bytes of the file at the time of the import. A longer file that begins with the same bytes is a later
   * state of the same transcript.
   */
  readonly bytes?: number;
}

/** Payload of `turn.started` and `turn.resumed`: what triggered the turn, and its compaction policy. */
export interface TurnBegan {
  readonly trigger: 'user' | 'notification' | 'subagent' | 'schedule';
  /**
   * Compaction policy chosen for the turn. Absent if none was chosen. A `turn.resumed` without a policy continues with
   * the policy of its turn.
   */
  readonly compaction?: 'manual' | 'preflight' | 'auto';
}

/** Resources that a turn used, side calls included. */
export interface TurnTotals {
  /** Number of answers of the main stream. */
  readonly steps: number;
  /** Number of tool calls that ran. */
  readonly calls: number;
  /** Sums of input and output tokens. If a call did not report its count, the sum is absent. */
  readonly input?: number;
  readonly output?: number;
  /** Sum of the costs in US dollars. If the price of a call is unknown, the sum is absent. */
  readonly cost?: Money;
  /**
   * Values that are compared with the limits of the turn. They are set if the sums above are absent. `tokens`: counted
   * plus estimated tokens. `cost`: an upper bound of the cost in US dollars.
   */
  readonly taken?: { readonly tokens?: number; readonly cost?: Money };
}

/** Payload of `turn.ended`, with the totals of the turn. */
export interface TurnEnded {
  readonly outcome: 'completed' | 'failed' | 'interrupted' | 'limited';
  readonly error?: { readonly code: string; readonly message: string; readonly next: string };
  readonly totals?: TurnTotals;
}

/**
 * Payload of `prompt.denied`: a hook denied a prompt before it was recorded. The record does not contain the prompt, and
 * it changes no request.
 */
export interface PromptDenied {
  readonly by: 'hook';
  /** `hook/` and the name of the hook. */
  readonly rule: string;
  readonly reason: string;
  /** Name of the program that sent the prompt. */
  readonly presenter: string;
  /** True if the prompt was steered into a running turn. */
  readonly steer?: boolean;
}

/** Payload of `mode.changed`: the permission mode was set. The model learns the mode from a context note. */
export interface ModeChanged {
  readonly mode: 'read-only' | 'ask' | 'accept-edits' | 'auto';
  readonly by: 'user' | 'settings';
}

/**
 * Payload of `agent.chosen`: the own agent of the user that the session is from now on. It has no effect on packing: its
 * role and tools reach the model with the next epoch, or with appended changes.
 */
export interface AgentChosen {
  readonly name: string;
  /** Version of the file that defines the agent. */
  readonly version: string;
  /** Complete text of its role. The file may change or disappear later, and the session keeps this text. */
  readonly role: string;
  /** Names and patterns of the tools that the session may use. Absent if it may use all tools. */
  readonly tools?: readonly string[];
  /**
   * Set if the file is in the workspace. The role is then a note with the role of the user, because the system text
   * contains no text of a workspace.
   */
  readonly as?: 'note';
}

/** Record of an imported transcript that has no matching event kind, kept unchanged. */
export interface ForeignRecorded {
  readonly format: string;
  /** 1-based line number in the source file. */
  readonly line: number;
  readonly record: Json;
  /** Reason why the record has no matching event. Absent if the kind of the record already shows the reason. */
  readonly reason?: string;
}

/** Payload of `memory.changed`: one change of a memory file, with the digests of its content before and after. */
export interface MemoryChanged {
  readonly file: string;
  readonly operation: 'add' | 'replace' | 'consolidate';
  readonly before?: Digest;
  readonly after: Digest;
  readonly bytes: number;
}

/** Payload of `subagent.started`: the session, role and task of the subagent. */
export interface SubagentStarted {
  readonly child: SessionId;
  readonly role: string;
  readonly task: string;
  /** Tool call that started the subagent. Absent if an imported recording does not contain it. */
  readonly call?: CallId;
  /** Own agent of the user that the subagent is. Absent if the call named none. */
  readonly agent?: StartedAgent;
  /** Model of the subagent and its provider. Absent if they are those of the session that started it. */
  readonly model?: string;
  readonly provider?: string;
}

/** Own agent that a subagent is, as it was when the subagent started. */
export interface StartedAgent extends Omit<AgentChosen, 'as'> {
  /** Reasoning effort that the agent sets. Absent if it keeps the effort of the session that started it. */
  readonly effort?: string;
}

/**
 * Payload of `subagent.ended`: the status and summary of the subagent. The full record of its work is in the log of the
 * child session.
 */
export interface SubagentEnded {
  readonly child: SessionId;
  readonly status: 'completed' | 'failed' | 'interrupted' | 'limited';
  readonly summary: string;
  readonly cost?: string;
  /**
   * Resources that the subagent used, its own subagents included. They count toward the turn that started the subagent.
   */
  readonly totals?: TurnTotals;
}

/** Payload of `process.started`: a call started a background process, which continues to run after the call. */
export interface ProcessStarted {
  /** Id of the process in its session, such as `p1`. A session uses each id only one time. */
  readonly process: string;
  readonly command: string;
  readonly call?: CallId;
}

/** Payload of `process.ended`: a background process ended. */
export interface ProcessEnded {
  readonly process: string;
  /** Exit code. Absent if a signal ended the process, or if its end was not seen. */
  readonly exit?: number;
  /** Name of the signal that ended the process. */
  readonly signal?: string;
  /**
   * Cause of the end. `itself`: no one requested it. `model`: a call of the model stopped the process. `user`: the user or
   * the program stopped it. `session`: the session was closed. `lost`: the program that ran the session ended, and the
   * process with it. A later program records `lost`, so `at` is the time at which it noticed the end.
   */
  readonly by: 'itself' | 'model' | 'user' | 'session' | 'lost';
}
