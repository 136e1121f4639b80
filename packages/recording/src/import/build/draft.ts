// Session that an import is building: its position, its open calls, its current epoch, and the events that are not
// delivered yet.

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

/** State of a turn after its last event. */
export type Mood = 'asked' | 'calling' | 'answered' | 'interrupted' | 'failed';

/** Turn that has not ended. */
export interface OpenTurn {
  readonly id: TurnId;
  mood: Mood;
  steps: number;
  calls: number;
}

/** Bytes that an event names by digest. They must be stored before the event is appended. */
export interface KeptBytes {
  readonly digest: Digest;
  readonly bytes: Uint8Array;
}

/** Answer with open calls, and the events after it. A fork that leaves at this point copies them. */
export interface OpenBatch {
  readonly position: number;
  readonly events: Event[];
}

/** Session built so far. Only its owner changes it. `forkPoint` makes the copy for a fork. */
export interface SessionDraft {
  readonly session: SessionId;
  /** Position of the next event. */
  position: number;
  at: Timestamp;
  turn: OpenTurn | undefined;
  turns: number;
  step: number;
  /** Open calls, each with the position of its answer. */
  readonly open: Map<string, number>;
  /** Present only while calls are open. */
  batch: OpenBatch | undefined;
  /** Hashes of the closed calls. */
  readonly closed: Set<number>;
  /** Hashes of the closed calls that were abandoned only because the file ended there at an earlier import. */
  readonly cutOff: Set<number>;
  epoch: EpochInForce | undefined;
  reasoning: string | undefined;
  checkpoint: Position | undefined;
  /** In a fork: the range of the parent's log that the fork left. */
  left: Range | undefined;
  /** Log positions of the records from which a compaction keeps history, by ordinal. */
  readonly anchors: Map<number, number>;
  /** Events, and bytes that they name, that are not delivered yet. */
  events: Event[];
  bytes: KeptBytes[];
}

/** Returns a session that contains only its first record. */
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
    left: undefined,
    anchors: new Map(),
    events: [],
    bytes: [],
  };
}

/** Start of a fork: a closed position of its parent, and the events after that position that the fork copies. */
export interface ForkPoint {
  readonly parent: SessionId;
  readonly position: Position;
  readonly draft: SessionDraft;
  /** Events of the unfinished batch. They are after the closed position, so the fork has its own copy. */
  readonly taken: readonly Event[];
}

/** Returns the point at which a fork leaves this session now. The session itself does not change. */
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

// The copy has no usage, because the answer in the parent has it and a call is billed once.
function withoutUsage(event: Event): Event {
  if (event.kind !== 'answer.received') return event;
  const { billed: _billed, ...data } = event.data;
  return { ...event, data: { ...data, usage: {} } };
}

/** Appends an event. */
export function emit(draft: SessionDraft, event: Event): void {
  draft.events.push(event);
  if (event.kind !== 'foreign.recorded') draft.batch?.events.push(event);
  draft.position += 1;
  draft.at = event.at;
}

/** Returns the position of the last event. */
export function lastPosition(draft: SessionDraft): Position {
  return position(Math.max(draft.position - 1, 0));
}

/** Returns the id of the open turn, for the envelope of an event in it. */
export function inTurn(draft: SessionDraft): { readonly turn?: TurnId } {
  return draft.turn === undefined ? {} : { turn: draft.turn.id };
}

/** Opens the next turn. */
export function openTurn(draft: SessionDraft, at: Timestamp, trigger: EventData['turn.started']['trigger']): OpenTurn {
  draft.turns += 1;
  const turn: OpenTurn = { id: turnId(`t${draft.turns}`), mood: 'asked', steps: 0, calls: 0 };
  draft.turn = turn;
  emit(draft, { kind: 'turn.started', at, turn: turn.id, data: { trigger } });
  return turn;
}

/** Returns the open turn. If an answer came without a prompt, a turn is opened. */
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

/**
 * Ends the open turn, with an outcome and a time that follow from its last event. Does nothing without an open turn.
 */
export function endTurn(draft: SessionDraft): void {
  const { turn, at } = draft;
  if (turn === undefined) return;
  const totals = { steps: turn.steps, calls: turn.calls };
  emit(draft, { kind: 'turn.ended', at, turn: turn.id, data: { outcome: OUTCOMES[turn.mood], totals } });
  draft.turn = undefined;
}

/**
 * Abandons the open calls, so that each call is closed once. Calls for which `spare` is true stay open, because they
 * are closed later. Returns the number of abandoned calls.
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

/** Closes a call with its result. Returns the reason if there is no such open call. */
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
