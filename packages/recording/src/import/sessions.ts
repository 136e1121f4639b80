// The sessions of one file while it is read: each branch has its reader and its draft, from its first record to its last.

import { createHash } from 'node:crypto';
import type { Digest, Position, SessionId } from '@tidemark/log';
import { digest, position } from '@tidemark/log';
import { applyMove, finishDraft } from './build/apply-move.ts';
import { abandonCalls } from './build/close-calls.ts';
import type { Draft, ForkPoint } from './build/draft.ts';
import { emit, endTurn, forkPoint, lastPosition, newDraft } from './build/draft.ts';
import type { RawRecord } from './file/read-records.ts';
import type { BranchReader, Format, Keep } from './format.ts';
import type { ImportOutcome, ImportStep, SessionStep } from './import-step.ts';
import type { From, Move } from './move.ts';
import type { Branch, Outline } from './outline/outline.ts';
import type { MintSession } from './session-names.ts';
import { nameBranches } from './session-names.ts';

/** What the sessions of a file have in common. */
export interface SessionsOf {
  readonly format: Format;
  readonly outline: Outline;
  readonly digest: Digest;
  readonly source: string;
  readonly mint: MintSession;
}

/** The sessions so far. */
export interface Sessions {
  /** Takes in one record and hands on what is ready. */
  take(raw: RawRecord, from: From): readonly ImportStep[];
  totals(): Pick<ImportOutcome, 'session' | 'sessions' | 'calls' | 'events'>;
}

interface Live {
  readonly branch: Branch;
  readonly draft: Draft;
  readonly reader: BranchReader;
  /** Characters read since the last handing on. */
  pending: number;
}

interface State extends SessionsOf {
  readonly names: readonly SessionId[];
  readonly live: Map<number, Live>;
  /** Forks that did not begin yet. */
  readonly waiting: Map<number, ForkPoint>;
  /** Last positions of branches that came to their end. */
  readonly ended: Map<number, Position>;
  readonly begun: SessionId[];
  /** What is ready, in order. */
  ready: ImportStep[];
  calls: number;
  events: number;
}

/** Handed on together at least: so many events, or so many characters of the file. */
const BATCH = { events: 64, characters: 1024 * 1024 } as const;

/** No session yet. */
export function createSessions(of: SessionsOf): Sessions {
  const names = nameBranches(of);
  const state: State = {
    ...of,
    names,
    live: new Map(),
    waiting: new Map(),
    ended: new Map(),
    begun: [],
    ready: [],
    calls: 0,
    events: 0,
  };
  return {
    take: (raw, from) => {
      take(state, raw, from);
      const { ready } = state;
      state.ready = [];
      return ready;
    },
    totals: () => ({
      session: nameOf(state, of.outline.main),
      sessions: state.begun,
      calls: state.calls,
      events: state.events,
    }),
  };
}

function take(state: State, raw: RawRecord, from: From): void {
  const { outline } = state;
  const index = outline.branchOf(from.ordinal);
  const isFirst = !state.live.has(index);
  for (const fork of outline.forksBefore(from.ordinal)) leaveFork(state, index, fork, from);
  const live = state.live.get(index) ?? begin(state, index, from);
  const moves = outline.isRepeated(from.ordinal)
    ? live.reader.pass({ type: 'foreign', from, reason: 'a second copy of a record' })
    : live.reader.read(raw, from);
  if (isFirst) announce(state, live, moves, from);
  apply(state, live, moves);
  live.pending += raw.text.length;
  if (from.ordinal >= live.branch.last) end(state, live, from.ordinal === outline.records - 1);
  else if (live.draft.events.length >= BATCH.events || live.pending >= BATCH.characters) handOn(state, live);
}

/** Keeps the branch as it is now for the fork that begins later. */
function leaveFork(state: State, index: number, fork: number, from: From): void {
  const live = state.live.get(index) ?? begin(state, index, from);
  apply(state, live, live.reader.release());
  state.waiting.set(fork, forkPoint(live.draft, nameOf(state, fork)));
}

function begin(state: State, index: number, from: From): Live {
  const branch = state.outline.branches[index];
  if (branch === undefined) throw new RangeError(`no branch ${index} in the outline`);
  if (branch.startedBy !== undefined) ensureBegun(state, branch.startedBy, from);
  const waiting = state.waiting.get(index);
  const draft =
    waiting === undefined
      ? newDraft(nameOf(state, index), startOf(state, branch, from))
      : takeUp(state, branch, waiting);
  const reader = state.format.reader({
    branch: index,
    isSubagent: branch.agent !== undefined && branch.kind !== 'main',
    outline: state.outline,
    keep: keeping(draft),
  });
  const live: Live = { branch, draft, reader, pending: 0 };
  state.live.set(index, live);
  state.begun.push(draft.session);
  state.events += 1;
  state.ready.push(sessionStep(state, branch, waiting, from));
  if (waiting !== undefined) beginFork(waiting);
  return live;
}

/** What the parent had under way ends here. */
function beginFork({ draft, taken }: ForkPoint): void {
  for (const event of taken) emit(draft, event);
  abandonCalls(draft, draft.at, 'interrupted');
  endTurn(draft);
}

function ensureBegun(state: State, index: number, from: From): void {
  if (!state.live.has(index) && !state.ended.has(index)) begin(state, index, from);
}

/** The parent's records are handed on first: the fork follows one of them. */
function takeUp(state: State, branch: Branch, { draft, position: at }: ForkPoint): Draft {
  state.waiting.delete(branch.index);
  const parent = branch.leaves?.branch ?? state.outline.main;
  const live = state.live.get(parent);
  if (live !== undefined) handOn(state, live);
  const to = live === undefined ? (state.ended.get(parent) ?? at) : lastPosition(live.draft);
  if (to > at) draft.left = { from: position(at + 1), to };
  return draft;
}

function startOf({ outline }: State, branch: Branch, from: From): From['at'] {
  return branch.at ?? outline.at ?? from.at;
}

function keeping(draft: Draft): Keep {
  return (bytes) => {
    const hex = digest(createHash('sha256').update(bytes).digest('hex'));
    draft.bytes.push({ digest: hex, bytes });
    return hex;
  };
}

function sessionStep(state: State, branch: Branch, waiting: ForkPoint | undefined, from: From): SessionStep {
  const { outline, format, source } = state;
  const session = nameOf(state, branch.index);
  const titled = outline.title === undefined || branch.agent !== undefined ? {} : { title: outline.title };
  return {
    type: 'session',
    session,
    ...(waiting === undefined ? {} : { parent: { session: waiting.parent, position: waiting.position } }),
    at: waiting === undefined ? startOf(state, branch, from) : from.at,
    created: {
      id: session,
      root: nameOf(state, outline.main),
      workspace: outline.workspace ?? '/',
      ...titled,
      imported: { format: format.name, source, digest: state.digest },
    },
  };
}

/** A subagent's session is named where it was started. */
function announce(state: State, child: Live, moves: readonly Move[], from: From): void {
  const { startedBy, kind } = child.branch;
  const starter = startedBy === undefined || kind !== 'agent' ? undefined : state.live.get(startedBy);
  if (starter === undefined) return;
  const prompt = moves.find((move) => move.type === 'prompt');
  const task = (prompt?.parts ?? []).map((part) => (part.type === 'text' ? part.text : '')).join('\n');
  apply(state, starter, starter.reader.pass({ type: 'subagent', from, child: child.draft.session, task }));
}

function apply(state: State, live: Live, moves: readonly Move[]): void {
  const view = { branch: live.branch.index, format: state.format.name, outline: state.outline };
  for (const move of moves) {
    if ((move.type === 'answer' || move.type === 'interrupted') && Object.keys(move.usage ?? {}).length > 0)
      state.calls += 1;
    applyMove(live.draft, move, view);
  }
}

function end(state: State, live: Live, isEndOfFile: boolean): void {
  const { draft, branch } = live;
  apply(state, live, live.reader.release());
  finishDraft(draft, isEndOfFile);
  handOn(state, live);
  state.live.delete(branch.index);
  state.ended.set(branch.index, lastPosition(draft));
  state.ready.push({ type: 'closed', session: draft.session });
}

function handOn(state: State, live: Live): void {
  const { draft } = live;
  live.pending = 0;
  if (draft.events.length === 0 && draft.bytes.length === 0) return;
  state.events += draft.events.length;
  state.ready.push({ type: 'events', session: draft.session, events: draft.events, artifacts: draft.bytes });
  draft.events = [];
  draft.bytes = [];
}

function nameOf({ names }: State, index: number): SessionId {
  const name = names[index];
  if (name === undefined) throw new RangeError(`no session for branch ${index}`);
  return name;
}
