// Source of the new events of a session: the session itself while this server has it open, otherwise its log, which
// another process may be writing.

import { setTimeout as pause } from 'node:timers/promises';
import type { AgentSession, SessionEvent } from '@tidemark/agent';
import { defined } from '@tidemark/core';
import type { Log, Recorded, SessionId } from '@tidemark/log';
import type { Frame, LiveState } from './frames.ts';
import { passingFrame, recordFrame, stateFrame } from './frames.ts';
import type { PassingState, PassingTexts } from './passing-state.ts';
import { createPassingState } from './passing-state.ts';
import type { PassingText } from './passing-text.ts';
import { createPassingText } from './passing-text.ts';
import type { WaitingQuestion } from './questions.ts';
import type { RemoteSessions, RemoteState } from './remote-sessions.ts';

/** Events of a session that this server has open. */
export type OpenEvents = Pick<AgentSession, 'events'>;

/** Source of the new events of one session. */
export interface EventOrigin {
  /** Position after the last published record. `undefined` if no record can be missing. */
  readonly next: number | undefined;
  /** Error of a log that can be read but not followed. */
  readonly failure: Error | undefined;
  attach(session: OpenEvents, waiting: () => readonly WaitingQuestion[]): Promise<void>;
  /** Follows the log from a position, unless this server has the session open or follows it already. */
  follow(from: number): void;
  stopFollowing(): void;
  /** Publishes the text that waits for more text. */
  flush(): void;
  state(): Omit<LiveState, 'length'>;
  /** True if the open session plans a request that keeps its cache warm. */
  warms(): boolean;
}

/** Receiver of the events. */
export interface OriginListener {
  publish(frame: Frame): void;
  /** Called when the source changes. Each reader must then read the log from its position. */
  changed(): void;
  hasReaders(): boolean;
}

interface FollowedLog {
  readonly abort: AbortController;
  records: number;
}

interface OriginState {
  readonly log: Log;
  readonly id: SessionId;
  readonly listener: OriginListener;
  /** Workers that may run the session. */
  readonly remote: RemoteSessions | undefined;
  readonly text: PassingText;
  passing: PassingState;
  /** True if the last event about the cache contained a planned request. */
  warms: boolean;
  /** The session, while this server has it open. */
  open: { readonly session: OpenEvents; readonly waiting: () => readonly WaitingQuestion[] } | undefined;
  following: FollowedLog | undefined;
  /** State of the worker that has the session open, while its log is followed. */
  worked: RemoteState | undefined;
  /** State of the worker that belongs to records which have not arrived yet. */
  early: RemoteState | undefined;
  /** Last state that all readers have got, as JSON. */
  shown: string;
  next: number | undefined;
  failure: Error | undefined;
}

/** Creates the source of a session. Nothing is read before `follow`. */
export function createEventOrigin(
  log: Log,
  id: SessionId,
  listener: OriginListener,
  remote?: RemoteSessions,
): EventOrigin {
  const text = createPassingText((event) => listener.publish(passingFrame(event)));
  const source: OriginState = {
    log,
    id,
    listener,
    remote,
    text,
    passing: createPassingState(),
    warms: false,
    open: undefined,
    following: undefined,
    worked: undefined,
    early: undefined,
    shown: '',
    next: undefined,
    failure: undefined,
  };
  return {
    get next() {
      return source.next;
    },
    get failure() {
      return source.failure;
    },
    attach: (session, waiting) => attach(source, session, waiting),
    follow: (from) => follow(source, from),
    stopFollowing: () => stopFollowing(source),
    flush: () => text.flush(),
    warms: () => source.warms,
    state: () => stateOf(source),
  };
}

function stateOf({ open, worked, passing }: OriginState): Omit<LiveState, 'length'> {
  return {
    open: open !== undefined || worked !== undefined,
    ...passing.read(),
    questions: open?.waiting() ?? worked?.questions ?? [],
    ...defined({ drafts: worked?.drafts, failure: worked?.failure }),
  };
}

function follow(source: OriginState, from: number): void {
  if (source.open !== undefined || source.following !== undefined) return;
  const following: FollowedLog = { abort: new AbortController(), records: 0 };
  source.following = following;
  source.next = from;
  source.shown = JSON.stringify(stateOf(source));
  const { signal } = following.abort;
  if (source.remote !== undefined) void followStates(source, source.remote, signal);
  const run = async (): Promise<void> => {
    for await (const record of source.log.tail(source.id, from, signal)) {
      if (signal.aborted) return;
      following.records += 1;
      publishRecord(source, record);
    }
  };
  run().catch((error: unknown) => fail(source, following, error));
}

/** Time between two questions for the state of a worker, in milliseconds. */
const STATE_MS = 250;

/** Asks for the state of the worker until the signal aborts. A question that fails changes nothing. */
async function followStates(source: OriginState, remote: RemoteSessions, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const states = await remote.states([source.id]).catch(() => undefined);
    if (signal.aborted) return;
    if (states !== undefined) takeState(source, states.get(source.id));
    await pause(STATE_MS, undefined, { signal, ref: false }).catch(() => undefined);
  }
}

/**
 * Shows a state if the readers are at its record. A state for later records waits for them. A state for earlier records
 * is not shown, because its text may be in the log since; the worker publishes the next one soon.
 */
function takeState(source: OriginState, state: RemoteState | undefined): void {
  source.early = undefined;
  const { next, listener } = source;
  const at = state?.length ?? next;
  if (next === undefined || at === undefined || at < next) return;
  if (at > next) return void (source.early = state);
  source.worked = state;
  source.passing.replace(state ?? NO_TEXTS);
  const shown = stateOf(source);
  const json = JSON.stringify(shown);
  if (json === source.shown) return;
  source.shown = json;
  if (listener.hasReaders()) listener.publish(stateFrame({ length: next, ...shown }));
}

const NO_TEXTS: PassingTexts = { text: '', reasoning: '', outputs: [] };

function forgetWorker(source: OriginState): void {
  source.worked = undefined;
  source.early = undefined;
  source.passing = createPassingState();
}

/**
 * Ends the following of a log after an error, such as a failed write of the other process. Each reader reads the log
 * again and then gets the error. If the log could not be followed at all, the readers get this error.
 */
function fail(source: OriginState, following: FollowedLog, error: unknown): void {
  if (source.following !== following) return;
  following.abort.abort();
  source.following = undefined;
  forgetWorker(source);
  source.next = undefined;
  if (following.records === 0 && error instanceof Error && !isMoved(error)) source.failure = error;
  source.listener.changed();
}

function isMoved(error: Error): boolean {
  return 'code' in error && error.code === 'log/moved';
}

function stopFollowing(source: OriginState): void {
  source.failure = undefined;
  if (source.following === undefined) return;
  source.following.abort.abort();
  source.following = undefined;
  forgetWorker(source);
  source.next = undefined;
}

function publishRecord(source: OriginState, record: Recorded): void {
  const { listener, passing, text } = source;
  text.flush();
  passing.take({ type: 'recorded', record });
  source.next = record.position + 1;
  if (listener.hasReaders()) listener.publish(recordFrame(record));
  // A record changes what the readers show, so the next state is sent even if it is the same.
  source.shown = '';
  if (source.early?.length === source.next) takeState(source, source.early);
}

async function attach(
  source: OriginState,
  session: OpenEvents,
  waiting: () => readonly WaitingQuestion[],
): Promise<void> {
  stopFollowing(source);
  source.open = { session, waiting };
  source.passing = createPassingState();
  source.next = undefined;
  const events = session.events();
  // Records that were appended just before the session was opened are still missing.
  source.listener.changed();
  try {
    for await (const event of events) {
      if (source.open?.session !== session) return;
      publishEvent(source, event);
    }
  } catch {
    // The error of a session that stops is thrown to every command too.
  } finally {
    if (source.open?.session === session) detach(source);
  }
}

function publishEvent(source: OriginState, event: SessionEvent): void {
  const { listener, passing, text } = source;
  if (event.type === 'recorded') return publishRecord(source, event.record);
  // The text of an error that a tool threw is not masked, and its masked message is in the log.
  if (event.type === 'tool.threw') return;
  passing.take(event);
  if (event.type === 'cache.warming') source.warms = event.plan !== undefined;
  if (!listener.hasReaders()) return;
  if (event.type === 'text.delta' || event.type === 'reasoning.delta') return text.add(event);
  text.flush();
  listener.publish(passingFrame(event));
}

function detach(source: OriginState): void {
  source.text.flush();
  source.open = undefined;
  source.warms = false;
  source.passing = createPassingState();
  source.next = undefined;
  source.listener.changed();
}
