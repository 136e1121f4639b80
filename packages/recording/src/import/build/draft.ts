// A session in the making: where it stands, which calls are open, which epoch is in force, and the events not yet handed on.

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

/** What decides whether the next answer needs a new epoch. */
export interface EpochInForce {
  readonly number: number;
  readonly provider: string;
  readonly model: string;
  readonly reasoning: string | undefined;
  readonly checkpoint: Position | undefined;
}

/** How the last thing that happened leaves the turn. */
export type Mood = 'asked' | 'calling' | 'answered' | 'interrupted' | 'failed';

/** An open turn. */
export interface OpenTurn {
  readonly id: TurnId;
  mood: Mood;
  steps: number;
  calls: number;
}

/** Bytes that an event names, to be kept before it is appended. */
export interface KeptBytes {
  readonly digest: Digest;
  readonly bytes: Uint8Array;
}

/** An answer with open calls, and what came since: what a fork that leaves within it takes along. */
export interface OpenBatch {
  readonly position: number;
  readonly events: Event[];
}

/** The session so far. One owner changes it; `forkPoint` gives a fork its copy. */
export interface SessionDraft {
  readonly session: SessionId;
  /** Position of the next event. */
  position: number;
  at: Timestamp;
  turn: OpenTurn | undefined;
  turns: number;
  step: number;
  /** Open calls, with the position of their answer's first event. */
  readonly open: Map<string, number>;
  /** There while calls are open. */
  batch: OpenBatch | undefined;
  /** Hashes of the calls that were closed. */
  readonly closed: Set<number>;
  /** Of these, the ones that were abandoned where the file ended when it was imported before. */
  readonly cutOff: Set<number>;
  epoch: EpochInForce | undefined;
  reasoning: string | undefined;
  checkpoint: Position | undefined;
  /** In a fork: the part of the parent's log that it left. */
  left: Range | undefined;
  /** Where records stand from which a compaction keeps history, by ordinal. */
  readonly anchors: Map<number, number>;
  /** Events, and bytes that they name, that were not handed on yet. */
  events: Event[];
  bytes: KeptBytes[];
}

/** A session of which nothing but its first record is there. */
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

/** A fork that is ready to begin: a closed position of its parent, and what it takes along from behind it. */
export interface ForkPoint {
  readonly parent: SessionId;
  readonly position: Position;
  readonly draft: SessionDraft;
  /** The unfinished batch: it stands behind the closed position, so the fork has its own copy. */
  readonly taken: readonly Event[];
}

/** Where a fork leaves this session now. The session itself goes on as it was. */
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

// Its usage stands in the parent: a call is billed once.
function withoutUsage(event: Event): Event {
  if (event.kind !== 'answer.received') return event;
  const { billed: _billed, ...data } = event.data;
  return { ...event, data: { ...data, usage: {} } };
}

/** Adds an event behind the last. */
export function emit(draft: SessionDraft, event: Event): void {
  draft.events.push(event);
  if (event.kind !== 'foreign.recorded') draft.batch?.events.push(event);
  draft.position += 1;
  draft.at = event.at;
}

/** The position of the last event. */
export function lastPosition(draft: SessionDraft): Position {
  return position(Math.max(draft.position - 1, 0));
}

/** The turn's name, for the envelope of an event within it. */
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

/** The open turn; one is opened where an answer came without a prompt. */
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

/** Ends the open turn as its last fact left it, and when. Without one, does nothing. */
export function endTurn(draft: SessionDraft): void {
  const { turn, at } = draft;
  if (turn === undefined) return;
  const totals = { steps: turn.steps, calls: turn.calls };
  emit(draft, { kind: 'turn.ended', at, turn: turn.id, data: { outcome: OUTCOMES[turn.mood], totals } });
  draft.turn = undefined;
}

/**
 * Abandons every open call, so that each call is closed once, except those for which `spare` is true because they are closed
 * later. Returns how many were abandoned.
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

/** Closes a call with its result. Says why not, where there is no such open call. */
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
