// Builds the sessions of one file while its records are read. Each branch has a reader and a draft from its first
// record to its last. A stage is the part of the file that one import added (`stages.ts`). At the end of each stage all
// branches end, as they did at the end of that import. They continue with the records of the next stage.

import { createHash } from 'node:crypto';
import { defined } from '@tidemark/core';
import type { SessionId, StartedBy } from '@tidemark/log';
import { callId, digest, position } from '@tidemark/log';
import type { BilledCalls } from './build/billed-calls.ts';
import type { BranchView } from './build/apply-move.ts';
import { applyMove, finishDraft } from './build/apply-move.ts';
import { abandonCalls, emit, endTurn, forkPoint, lastPosition, newDraft } from './build/draft.ts';
import type { SessionDraft, ForkPoint } from './build/draft.ts';
import type { RawRecord } from './file/read-records.ts';
import type { BranchReader, FileReading, Format, Keep } from './format/format.ts';
import type { ImportOutcome, ImportStep, SessionStep } from './import-step.ts';
import type { From, ImportedMove } from './format/move.ts';
import type { Branch, Outline } from './outline/outline.ts';
import type { MintSession } from './session-names.ts';
import { nameBranches } from './session-names.ts';
import type { Stage } from './stages.ts';

/** Values that all sessions of a file share. */
export interface SessionsOf {
  readonly format: Format;
  /** States of the file, shortest first. The last stage is the whole file. */
  readonly stages: readonly [Stage, ...Stage[]];
  readonly source: string;
  readonly mint: MintSession;
  /** Calls that an imported record already bills. Newly billed calls are added. */
  readonly billed: BilledCalls;
  /** Title of the main session. Default: the title that the file states. */
  readonly title?: string;
}

/** Builder of the sessions of a file. The caller passes the records in order. */
export interface Sessions {
  /** Takes the next record and returns the import steps that are ready. */
  take(raw: RawRecord, from: From): readonly ImportStep[];
  totals(): Pick<ImportOutcome, 'session' | 'sessions' | 'calls' | 'requests' | 'events'>;
}

interface Live {
  readonly index: number;
  readonly draft: SessionDraft;
  readonly reader: BranchReader;
  /** Number of characters read for this branch since its last delivery of events. */
  pending: number;
  /** Stage in which the branch ended. Absent while the branch is being read. */
  endedIn?: Stage;
}

interface ImportState extends SessionsOf {
  stage: Stage;
  readonly whole: Outline;
  readonly names: readonly SessionId[];
  readonly shared: FileReading;
  readonly live: Map<number, Live>;
  /** Forks that have not started yet, by branch index. Each is a copy of the parent's state at the fork point. */
  readonly waiting: Map<number, ForkPoint>;
  /** Branches that ended in an earlier or the current stage. A later stage can continue them. */
  readonly ended: Map<number, Live>;
  /** Indexes of the branches whose sessions can get more events. */
  readonly open: Set<number>;
  readonly begun: SessionId[];
  ready: ImportStep[];
  calls: number;
  recorded: number;
  incomplete: number;
  events: number;
}

/** Format name in a `foreign.recorded` event that marks the start of a stage of the file. */
export const STAGE = 'tidemark-import';

/**
 * The collected events of a branch are delivered when they reach this number, or when this number of characters of the
 * file has been read for the branch.
 */
const BATCH = { events: 64, characters: 1024 * 1024 } as const;

/** Returns a builder that has read no record. */
export function createSessions(of: SessionsOf): Sessions {
  const [first] = of.stages;
  const whole = (of.stages.at(-1) ?? first).outline;
  const names = nameBranches({ ...of, outline: whole, digest: first.digest });
  const state: ImportState = {
    ...of,
    stage: first,
    whole,
    names,
    shared: { whole, kept: new Set(), requests: new Map(), run: undefined, stated: {}, tasks: new Map() },
    open: new Set(),
    live: new Map(),
    waiting: new Map(),
    ended: new Map(),
    begun: [],
    ready: [],
    calls: 0,
    recorded: 0,
    incomplete: 0,
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
      session: nameOf(state, whole.main),
      sessions: state.begun,
      calls: state.calls,
      requests: { recorded: state.recorded, incomplete: state.incomplete },
      events: state.events,
    }),
  };
}

function take(state: ImportState, raw: RawRecord, from: From): void {
  while (from.ordinal >= state.stage.outline.records) beginStage(state, from);
  const { outline } = state.stage;
  const index = outline.branchOf(from.ordinal);
  const isFirst = !state.live.has(index) && !state.ended.has(index);
  for (const fork of outline.forksBefore(from.ordinal)) leaveFork(state, index, fork, from);
  const live = liveAt(state, index, from);
  leaveLaterForks(state, live, from);
  const moves = outline.isRepeated(from.ordinal)
    ? live.reader.pass({ type: 'foreign', from, reason: 'a second copy of a record' })
    : live.reader.read(raw, from);
  if (isFirst) announce(state, live, moves, from);
  apply(state, live, moves);
  live.pending += raw.text.length;
  const last = outline.branches[index]?.last ?? from.ordinal;
  if (from.ordinal >= last) end(state, live, from.ordinal === outline.records - 1);
  else if (live.draft.events.length >= BATCH.events || live.pending >= BATCH.characters) handOn(state, live);
}

/**
 * Begins the next stage, whose records were appended to the file after the import of the previous stage. An event in
 * the main session marks the start of the stage.
 */
function beginStage(state: ImportState, { at, line }: From): void {
  const next = state.stages[state.stages.indexOf(state.stage) + 1];
  if (next === undefined) throw new RangeError(`no stage contains the record of line ${line}`);
  state.stage = next;
  const main = state.ended.get(state.whole.main);
  if (main === undefined) return;
  const { bytes, digest: file } = next;
  const data = { format: STAGE, line, record: { bytes, digest: file }, reason: 'the transcript grew' };
  emit(main.draft, { kind: 'foreign.recorded', at, data });
  handOn(state, main);
}

/**
 * Returns the reader and the draft of a branch. Starts the branch if this is its first record. Reopens it if it ended
 * in an earlier stage.
 */
function liveAt(state: ImportState, index: number, from: From): Live {
  const ended = state.ended.get(index);
  if (ended === undefined) return state.live.get(index) ?? begin(state, index, from);
  state.ended.delete(index);
  delete ended.endedIn;
  state.live.set(index, ended);
  return ended;
}

/**
 * Saves the state of the branch for forks that only a later stage of the file contains. Does not release the moves that
 * the reader holds, because the events of this stage were made before these forks existed.
 */
function leaveLaterForks(state: ImportState, { draft }: Live, { ordinal }: From): void {
  const known = state.stage.outline.forksBefore(ordinal);
  const later = state.whole.forksBefore(ordinal).filter((fork) => !known.includes(fork));
  for (const fork of later) state.waiting.set(fork, forkPoint(draft, nameOf(state, fork)));
}

/** Saves the current state of the branch for a fork that starts with a later record. */
function leaveFork(state: ImportState, index: number, fork: number, from: From): void {
  const live = liveAt(state, index, from);
  apply(state, live, live.reader.release());
  state.waiting.set(fork, forkPoint(live.draft, nameOf(state, fork)));
}

function begin(state: ImportState, index: number, from: From): Live {
  const branch = state.stage.outline.branches[index];
  if (branch === undefined) throw new RangeError(`the outline has no branch ${index}`);
  if (branch.startedBy !== undefined) ensureBegun(state, branch.startedBy, from);
  const waiting = state.waiting.get(index);
  const draft =
    waiting === undefined
      ? newDraft(nameOf(state, index), startOf(state, branch, from))
      : takeUp(state, branch, waiting);
  const reader = state.format.reader({
    branch: index,
    isSubagent: branch.agent !== undefined && branch.kind !== 'main',
    get outline() {
      return state.stage.outline;
    },
    keep: keeping(draft),
    shared: state.shared,
  });
  const live: Live = { index, draft, reader, pending: 0 };
  state.live.set(index, live);
  state.open.add(index);
  state.begun.push(draft.session);
  state.events += 1;
  state.ready.push(sessionStep(state, branch, waiting, from));
  if (waiting !== undefined) beginFork(waiting);
  return live;
}

/**
 * Starts a fork. Copies the events of the parent's answer whose calls are still open, abandons these calls, and ends
 * the turn.
 */
function beginFork({ draft, taken }: ForkPoint): void {
  for (const event of taken) emit(draft, event);
  abandonCalls(draft, draft.at, 'interrupted');
  endTurn(draft);
}

function ensureBegun(state: ImportState, index: number, from: From): void {
  if (!state.live.has(index) && !state.ended.has(index)) begin(state, index, from);
}

/**
 * Returns the draft with which a fork starts. First delivers the collected events of the parent, because the fork
 * starts after one of these events. Sets `left` to the range of the parent's log that the fork does not continue.
 */
function takeUp(state: ImportState, branch: Branch, { draft, position: at }: ForkPoint): SessionDraft {
  state.waiting.delete(branch.index);
  const parent = branch.leaves?.branch ?? state.whole.main;
  const live = state.live.get(parent) ?? state.ended.get(parent);
  if (live !== undefined) handOn(state, live);
  const to = live === undefined ? at : lastPosition(live.draft);
  if (to > at) draft.left = { from: position(at + 1), to };
  return draft;
}

function startOf({ stage: { outline } }: ImportState, branch: Branch, from: From): From['at'] {
  return branch.at ?? outline.at ?? from.at;
}

function keeping(draft: SessionDraft): Keep {
  return (bytes) => {
    const hex = digest(createHash('sha256').update(bytes).digest('hex'));
    draft.bytes.push({ digest: hex, bytes });
    return hex;
  };
}

function sessionStep(state: ImportState, branch: Branch, waiting: ForkPoint | undefined, from: From): SessionStep {
  const { stage, whole, format, source } = state;
  const { outline, bytes, digest: file } = stage;
  const session = nameOf(state, branch.index);
  // A subagent in the file of its main session has its own title or none.
  const isAgent = branch.agent !== undefined && branch.kind !== 'main';
  const title = isAgent ? branch.title : (state.title ?? outline.title);
  return defined({
    type: 'session',
    session,
    parent: waiting === undefined ? undefined : { session: waiting.parent, position: waiting.position },
    at: waiting === undefined ? startOf(state, branch, from) : from.at,
    created: {
      id: session,
      root: nameOf(state, whole.main),
      workspace: outline.workspace ?? '/',
      ...defined({ title, startedBy: starterOf(state, branch) }),
      imported: { format: format.name, source, digest: file, bytes },
    },
  });
}

function starterOf(state: ImportState, { kind, call, startedBy }: Branch): StartedBy | undefined {
  if (kind !== 'agent' || call === undefined || startedBy === undefined) return undefined;
  return { session: nameOf(state, startedBy), call: callId(call), depth: 1 };
}

/**
 * Adds an event to the session that started the subagent. The event contains the session name and the task of the
 * subagent.
 */
function announce(state: ImportState, child: Live, moves: readonly ImportedMove[], from: From): void {
  const { startedBy, kind } = state.stage.outline.branches[child.index] ?? {};
  if (startedBy === undefined || kind !== 'agent') return;
  const starter = state.live.get(startedBy) ?? state.ended.get(startedBy);
  if (starter === undefined || starter.endedIn === state.stage) return;
  const prompt = moves.find((move) => move.type === 'prompt');
  const parts = prompt?.parts ?? [{ type: 'text', text: child.reader.task?.() ?? '' } as const];
  const task = parts.map((part) => (part.type === 'text' ? part.text : '')).join('\n');
  apply(state, starter, starter.reader.pass({ type: 'subagent', from, child: child.draft.session, task }));
  if (state.ended.has(startedBy)) handOn(state, starter);
}

function apply(state: ImportState, live: Live, moves: readonly ImportedMove[]): void {
  const { stage, format, billed } = state;
  const view: BranchView = { branch: live.index, format: format.name, outline: stage.outline, billed };
  for (const move of moves) {
    if ((move.type === 'answer' || move.type === 'interrupted') && Object.keys(move.usage ?? {}).length > 0)
      state.calls += 1;
    applyMove(live.draft, move, view);
    if (move.type !== 'request') continue;
    state.recorded += 1;
    if (live.draft.request?.isWhole === false) state.incomplete += 1;
  }
}

function end(state: ImportState, live: Live, isEndOfFile: boolean): void {
  const { draft, index } = live;
  apply(state, live, live.reader.release());
  finishDraft(draft, isEndOfFile);
  handOn(state, live);
  state.live.delete(index);
  live.endedIn = state.stage;
  state.ended.set(index, live);
  const { records, branches } = state.whole;
  if (isEndOfFile && state.stage.outline.records === records) for (const one of state.open) closeSession(state, one);
  else if (!mayGoOn(state, index, branches[index]?.last ?? 0)) closeSession(state, index);
}

/**
 * True if a later stage can add events to the session. This is so for a branch with records after this stage, and for
 * the main session, in which the start of each stage is marked.
 */
function mayGoOn({ stage, stages, whole }: ImportState, index: number, last: number): boolean {
  return last >= stage.outline.records || (stages.length > 1 && index === whole.main);
}

function closeSession(state: ImportState, index: number): void {
  if (state.open.delete(index)) state.ready.push({ type: 'closed', session: nameOf(state, index) });
}

function handOn(state: ImportState, live: Live): void {
  const { draft } = live;
  live.pending = 0;
  if (draft.events.length === 0 && draft.bytes.length === 0) return;
  state.events += draft.events.length;
  state.ready.push({ type: 'events', session: draft.session, events: draft.events, artifacts: draft.bytes });
  draft.events = [];
  draft.bytes = [];
}

function nameOf({ names }: ImportState, index: number): SessionId {
  const name = names[index];
  if (name === undefined) throw new RangeError(`branch ${index} has no session`);
  return name;
}
