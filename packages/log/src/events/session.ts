// Facts about the session itself: its beginning, its turns, its settings, what an import kept.

import type { Json } from '@tidemark/core';
import type { CallId, Chain, Digest, Money, Position, SessionId } from '../ids.ts';

/** Where a fork leaves its parent: the child's log goes on behind this record. */
export interface Parent {
  readonly session: SessionId;
  readonly position: Position;
  readonly chain: Chain;
}

/** Of a subagent: the call of another session that it works for. Unlike a fork it shares no record with that one. */
export interface StartedBy {
  readonly session: SessionId;
  readonly call: CallId;
  /** How many subagents deep it is: 1 for one that a session of a person's started. */
  readonly depth: number;
}

/** Record 0 of a session, or the first of its own in a fork. */
export interface SessionCreated {
  readonly id: SessionId;
  /** The first ancestor; itself where there is none. */
  readonly root: SessionId;
  readonly parent?: Parent;
  readonly startedBy?: StartedBy;
  /** Absolute path. */
  readonly workspace: string;
  readonly title?: string;
  /** What wrote the recording, for an imported session. */
  readonly imported?: ImportedFrom;
}

/** The file that an imported session was made of. */
export interface ImportedFrom {
  readonly format: string;
  readonly source: string;
  /** SHA-256 of the file as it was then. */
  readonly digest?: Digest;
  /** Its length then. A longer file that begins with these bytes is the same transcript, grown. */
  readonly bytes?: number;
}

/** `turn.started` and `turn.resumed`. */
export interface TurnBegan {
  readonly trigger: 'user' | 'notification' | 'subagent' | 'schedule';
  /** Which compaction policy was chosen for the turn; absent where none was. It holds for a `turn.resumed` that names none. */
  readonly compaction?: 'manual' | 'preflight' | 'auto';
}

/** What a turn took, its side calls included. */
export interface TurnTotals {
  /** Answers of the main stream. */
  readonly steps: number;
  /** Tool calls that ran. */
  readonly calls: number;
  /** Input tokens and output tokens; absent when one call told none. */
  readonly input?: number;
  readonly output?: number;
  /** Absent when the price of one call is unknown. */
  readonly cost?: Money;
  /** What a limit counts where a sum is absent: counted and estimated tokens together, and the most that the turn cost. */
  readonly taken?: { readonly tokens?: number; readonly cost?: Money };
}

/** The end of a turn, with its totals. */
export interface TurnEnded {
  readonly outcome: 'completed' | 'failed' | 'interrupted' | 'limited';
  readonly error?: { readonly code: string; readonly message: string; readonly next: string };
  readonly totals?: TurnTotals;
}

/** The permission mode was set. It reaches the model through a note. */
export interface ModeChanged {
  readonly mode: 'read-only' | 'ask' | 'auto';
  readonly by: 'user' | 'settings';
}

/** A record of an imported transcript that has no event here, as it was. */
export interface ForeignRecorded {
  readonly format: string;
  /** 1-based line in the source file. */
  readonly line: number;
  readonly record: Json;
  /** Why it has no event, where that is not plain from its kind. */
  readonly reason?: string;
}

/** `memory.changed`. */
export interface MemoryChanged {
  readonly file: string;
  readonly operation: 'add' | 'replace' | 'consolidate';
  readonly before?: Digest;
  readonly after: Digest;
  readonly bytes: number;
}

/** `subagent.started`. */
export interface SubagentStarted {
  readonly child: SessionId;
  readonly role: string;
  readonly task: string;
  /** The call that asked for it; a recording may not know it. */
  readonly call?: CallId;
}

/** `subagent.ended`: its log is the proof. */
export interface SubagentEnded {
  readonly child: SessionId;
  readonly status: 'completed' | 'failed' | 'interrupted' | 'limited';
  readonly summary: string;
  readonly cost?: string;
  /** What it took, its own subagents included: they count as taken by the turn that asked for it. */
  readonly totals?: TurnTotals;
}
