// Session that an import is building. The draft holds the position, the open calls and the current epoch of the
// session, and the events that are not delivered yet.

import { defined } from '@tidemark/core';
import type {
  Digest,
  Event,
  EventData,
  Position,
  Range,
  SessionId,
  Timestamp,
  TurnId,
  ToolAbandoned,
} from '@tidemark/log';
import { position, turnId, callId } from '@tidemark/log';
import { hashText } from '../file/fields.ts';
import type { From, ResultMove } from '../format/move.ts';

/** Values of the current epoch. If one of them changes, the next answer needs a new epoch. */
export interface EpochInForce {
  readonly number: number;
  readonly provider: string;
  readonly model: string;
  readonly reasoning: string | undefined;
  readonly checkpoint: Position | undefined;
}

/**
 * State of a turn after its last event: `asked` (waits for an answer), `calling` (waits for results), `answered`,
 * `interrupted` or `failed`.
 */
export type Mood = 'asked' | 'calling' | 'answered' | 'interrupted' | 'failed';

/** Turn that has not ended. */
export interface OpenTurn {
  readonly id: TurnId;
  mood: Mood;
  steps: number;
  calls: number;
}

/** Bytes to which an event refers by digest. They must be stored before the event is appended. */
export interface KeptBytes {
  readonly digest: Digest;
  readonly bytes: Uint8Array;
}

/** Recorded request that is in the log: its position and its messages. */
export interface DraftRequest {
  readonly position: Position;
  readonly messages: readonly (Digest | undefined)[];
  /** Index of the first message that is not in the file. Infinity if all messages are in the file. */
  readonly lost: number;
  /** True if all parts of the request are in the file. */
  readonly isWhole: boolean;
}

/**
 * Answer whose calls are still open, and the events after this answer. A fork that starts while the calls are open
 * copies these events.
 */
export interface OpenBatch {
  readonly position: number;
  readonly events: Event[];
}

/** Session built so far. Only the builder that owns the draft changes it. `forkPoint` makes the copy for a fork. */
export interface SessionDraft {
  readonly session: SessionId;
  /** Position of the next event. */
  position: number;
  at: Timestamp;
  turn: OpenTurn | undefined;
  turns: number;
  step: number;
  /** Open calls by id, each with the position of the answer that made the call. */
  readonly open: Map<string, number>;
  /** Latest answer with calls, and the events after it. Present only while calls are open. */
  batch: OpenBatch | undefined;
  /** Hashes of the ids of closed calls. */
  readonly closed: Set<number>;
  /**
   * Hashes of the ids of calls that were abandoned only because their branch ended there. A later state of the file can
   * contain their results.
   */
  readonly cutOff: Set<number>;
  epoch: EpochInForce | undefined;
  reasoning: string | undefined;
  checkpoint: Position | undefined;
  /** Latest recorded request of this session, to which the next one refers. */
  request: DraftRequest | undefined;
  /** Positions of the latest recorded requests, by name. */
  readonly requests: Map<string, Position>;
  /** For a fork, the range of the parent's log that the fork does not continue. Absent for other sessions. */
  left: Range | undefined;
  /**
   * Log positions by the ordinal of a transcript record. A compaction that keeps the transcript from this record on
   * keeps the log from this position on.
   */
  readonly anchors: Map<number, number>;
  /** Events that are not delivered yet. `bytes` contains the bytes to which they refer. */
  events: Event[];
  bytes: KeptBytes[];
}

/**
 * Returns the draft of a new session without events. Its next position is 1, because the importer writes
 * `session.created` at position 0.
 */
export function newDraft(session: SessionId, at: Timestamp): SessionDraft {
  return {
    session,
    position: 1,
    at,
    turn: undefined,
    turns: 0,
    step: 0,
    open: new Map(),
    batch: undefined,
    closed: new Set(),
    cutOff: new Set(),
    epoch: undefined,
    reasoning: undefined,
    checkpoint: undefined,
    request: undefined,
    requests: new Map(),
    left: undefined,
    anchors: new Map(),
    events: [],
    bytes: [],
  };
}

/**
 * Start of a fork. The fork continues after `position` of the parent, where no call is open. It then copies the events
 * in `taken`.
 */
export interface ForkPoint {
  readonly parent: SessionId;
  readonly position: Position;
  readonly draft: SessionDraft;
  /**
   * Later events of the parent, from an answer whose calls are not all closed. The fork gets its own copies of them.
   */
  readonly taken: readonly Event[];
}

/**
 * Returns the start of a fork that leaves this session in its current state. If calls are open, the fork starts before
 * the answer that made them. The parent's draft does not change.
 */
export function forkPoint(draft: SessionDraft, session: SessionId): ForkPoint {
  const next = draft.batch?.position ?? draft.position;
  const anchors = new Map([...draft.anchors].map(([ordinal, at]) => [ordinal, Math.min(at, next)]));
  const turn = draft.turn === undefined ? undefined : { ...draft.turn };
  const own = {
    session,
    position: next + 1,
    turn,
    batch: undefined,
    closed: new Set(draft.closed),
    cutOff: new Set(draft.cutOff),
    requests: new Map([...draft.requests].filter(([, at]) => at < next)),
    request: draft.request !== undefined && draft.request.position < next ? draft.request : undefined,
    anchors,
    events: [],
    bytes: [],
  };
  const copy: SessionDraft = {
    ...draft,
    ...own,
    open: new Map([...draft.open.keys()].map((call) => [call, next + 1])),
  };
  return {
    parent: draft.session,
    position: position(next - 1),
    draft: copy,
    taken: (draft.batch?.events ?? []).map(withoutUsage),
  };
}

// Removes the usage from a copied answer. The answer in the parent has the usage, and a call is billed once.
function withoutUsage(event: Event): Event {
  if (event.kind !== 'answer.received') return event;
  const { billed: _billed, ...data } = event.data;
  return { ...event, data: { ...data, usage: {} } };
}

/** Appends an event to the draft. If calls are open, also adds the event to `batch`, unless it is a foreign record. */
export function emit(draft: SessionDraft, event: Event): void {
  draft.events.push(event);
  // A fork copies the events after an open answer. Recorded requests refer to earlier positions, so they stay in the parent.
  if (event.kind !== 'foreign.recorded' && event.kind !== 'request.observed') draft.batch?.events.push(event);
  draft.position += 1;
  draft.at = event.at;
}

/** Returns the position of the last event, or 0 if there is no event. */
export function lastPosition(draft: SessionDraft): Position {
  return position(Math.max(draft.position - 1, 0));
}

/** Returns the `turn` field for the envelope of an event. The result is an empty object if no turn is open. */
export function inTurn(draft: SessionDraft): { readonly turn?: TurnId } {
  return draft.turn === undefined ? {} : { turn: draft.turn.id };
}

/** Opens the next turn and returns it. */
export function openTurn(draft: SessionDraft, at: Timestamp, trigger: EventData['turn.started']['trigger']): OpenTurn {
  draft.turns += 1;
  const turn: OpenTurn = { id: turnId(`t${draft.turns}`), mood: 'asked', steps: 0, calls: 0 };
  draft.turn = turn;
  emit(draft, { kind: 'turn.started', at, turn: turn.id, data: { trigger } });
  return turn;
}

/** Returns the open turn. Opens a turn if none is open, which happens for an answer without a prompt. */
export function needTurn(draft: SessionDraft, at: Timestamp): OpenTurn {
  return draft.turn ?? openTurn(draft, at, 'user');
}

const OUTCOMES = {
  asked: 'interrupted',
  calling: 'interrupted',
  answered: 'completed',
  interrupted: 'interrupted',
  failed: 'failed',
} as const satisfies Readonly<Record<Mood, string>>;

/** Ends the open turn. Its outcome and its time follow from its last event. Does nothing without an open turn. */
export function endTurn(draft: SessionDraft): void {
  const { turn, at } = draft;
  if (turn === undefined) return;
  const totals = { steps: turn.steps, calls: turn.calls };
  emit(draft, { kind: 'turn.ended', at, turn: turn.id, data: { outcome: OUTCOMES[turn.mood], totals } });
  draft.turn = undefined;
}

/**
 * Adds `tool.abandoned` for each open call, except for calls for which `spare` returns true. These calls stay open,
 * because a later move closes them. Returns the number of abandoned calls.
 */
export function abandonCalls(
  draft: SessionDraft,
  at: From['at'],
  reason: ToolAbandoned['reason'],
  spare: (call: string) => boolean = () => false,
): number {
  const left = [...draft.open.keys()].filter((call) => !spare(call));
  for (const call of left) {
    shut(draft, call);
    emit(draft, { kind: 'tool.abandoned', at, ...inTurn(draft), data: { call: callId(call), reason } });
  }
  return left.length;
}

/** Closes a call with its result. If no call with this id is open, changes nothing and returns the reason. */
export function closeCall(draft: SessionDraft, move: ResultMove): string | undefined {
  const { call, parts, durationMs } = move;
  if (!draft.open.has(call)) {
    return draft.closed.has(hashText(call)) ? `second result of call ${call}` : `result without its call ${call}`;
  }
  shut(draft, call);
  const data = defined({ call, parts, durationMs });
  emit(draft, { kind: move.error ? 'tool.failed' : 'tool.returned', at: move.from.at, ...inTurn(draft), data });
  return undefined;
}

function shut(draft: SessionDraft, call: string): void {
  draft.open.delete(call);
  draft.closed.add(hashText(call));
  if (draft.open.size === 0) draft.batch = undefined;
}
