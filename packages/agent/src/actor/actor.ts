// Actor of an open session: takes commands, runs one turn at a time, and emits events. After a fatal error every later
// command fails with that error.

import { defined } from '@tidemark/core';
import type { TurnId } from '@tidemark/log';
import { LogError, turnId } from '@tidemark/log';
import { ProviderError } from '@tidemark/model';
import { AgentError } from '../errors.ts';
import type { AskBeside } from '../ports/compaction.ts';
import type { FinishedTurn, Turn } from '../ports/live-session.ts';
import type { Mode } from '../ports/permissions.ts';
import type { HostedProcesses } from '../ports/process-host.ts';
import type { Runtime } from '../ports/runtime.ts';
import type { SessionEvent } from '../ports/session-event.ts';
import type { PromptStreams } from '../request/prepare.ts';
import type { AnswerSchema } from '../session/answer-schema.ts';
import type { Session } from '../session/session.ts';
import { watchBuckets } from '../session/input-buckets.ts';
import { isSnapshotDue, keepSnapshot } from '../session/session.ts';
import { watchTurn } from '../session/turn-context.ts';
import type { Children } from '../subagent/children.ts';
import { untilQuiet } from '../subagent/children.ts';
import { delegate } from '../subagent/delegate.ts';
import type { TurnBeginning } from '../turn/begin-turn.ts';
import { beginTurn } from '../turn/begin-turn.ts';
import type { StepContext, WantedFor } from '../turn/prepare-step.ts';
import { createWantedFor } from '../turn/prepare-step.ts';
import { runTurn } from '../turn/run-turn.ts';
import { abortWhenTimeIsOver } from '../turn/time-limit.ts';
import type { EventFeed } from './event-feed.ts';
import { createEventFeed } from './event-feed.ts';
import type { TextFeed } from './text-feed.ts';
import { createTextFeed } from './text-feed.ts';

/** State of an open session in this process. One turn runs at a time. */
export interface Actor {
  readonly session: Session;
  readonly promptStreams: PromptStreams;
  readonly wantedFor: WantedFor;
  readonly feed: EventFeed;
  readonly waiting: QueuedTurn[];
  /** Pending side calls: the controller that aborts each call, and the promise of its end. */
  readonly beside: Map<AbortController, Promise<unknown>>;
  runtime: Runtime;
  /**
   * Runtime with which the session was opened. Its `envelope` and `betas` are sent only to the provider of this
   * runtime.
   */
  readonly first: Runtime;
  /** Permission mode of the session. The next turn records this mode if the log has another one. */
  mode: Mode;
  /** Keys of the notices that were already raised. Each of them is raised only one time in a session. */
  readonly raisedNotices: Set<string>;
  running: RunningTurn | undefined;
  /** Function that sends a side call. `undefined` until it is set. */
  side: AskBeside | undefined;
  /** Subagents of the session. `undefined` if the session is not allowed to start subagents. */
  children: Children | undefined;
  /** Background processes of the session. `undefined` if it can have none. */
  processes: HostedProcesses | undefined;
  /** Controller that aborts the work between two turns, such as keeping the cache warm. */
  pause: AbortController | undefined;
  /**
   * Called when no turn is running: after the last queued turn, and after a change that makes the next request
   * different. Starts the work between two turns.
   */
  atRest: (() => void) | undefined;
  /**
   * Promise that resolves when the current write of a snapshot is complete. Already resolved if no snapshot is being
   * written.
   */
  keeping: Promise<void>;
  /** Error that stopped the actor. If present, no further command is accepted. */
  stopped: Error | undefined;
}

/** Creates an actor for an open session. No turn is running yet. */
export function createActor(session: Session, runtime: Runtime, mode: Mode, first: Runtime = runtime): Actor {
  const feed = createEventFeed((from, to) => session.log.read(session.writer.session, from, to), false);
  const { artifacts } = session.log;
  const actor: Actor = {
    session,
    promptStreams: { main: undefined },
    wantedFor: createWantedFor(artifacts),
    feed,
    waiting: [],
    beside: new Map(),
    runtime,
    first,
    mode,
    raisedNotices: new Set(),
    running: undefined,
    side: undefined,
    children: undefined,
    processes: undefined,
    pause: undefined,
    atRest: undefined,
    keeping: Promise.resolve(),
    stopped: undefined,
  };
  session.watchers.add((record) => tell(actor, { type: 'recorded', record }));
  return actor;
}

/** Sends an event to the listeners of the session and of the running turn. */
export function tell(actor: Actor, event: SessionEvent): void {
  actor.feed.tell(event);
  actor.running?.feed.tell(event);
  actor.running?.text.tell(event);
}

/**
 * Aborts the work between two turns, and starts it again if no turn is running. Called after a change that makes the
 * next request different.
 */
export function restAnew(actor: Actor): void {
  actor.pause?.abort();
  if (actor.running === undefined && actor.stopped === undefined) actor.atRest?.();
}

/** @throws the error that stopped the actor, if the actor was stopped. */
export function requireUsable({ stopped }: Actor): void {
  if (stopped !== undefined) throw stopped;
}

/** Adds a turn to the queue, and starts it if no other turn is running. Returns the turn without waiting for it. */
export function enqueueTurn<Output = undefined>(
  actor: Actor,
  beginning: TurnBeginning,
  { schema, signal }: TurnOrder<Output> = {},
): Turn<Output> {
  const { session } = actor;
  const feed = createEventFeed((from, to) => session.log.read(session.writer.session, from, to), true);
  const { asked, turn } = askForTurn(beginning, feed, defined({ schema, signal }));
  actor.waiting.push(asked);
  startNext(actor);
  return turn;
}

function startNext(actor: Actor): void {
  const asked = actor.running === undefined ? actor.waiting.shift() : undefined;
  if (asked === undefined) return;
  actor.pause?.abort();
  const turn = turnOf(actor, asked.beginning);
  const abort = new AbortController();
  const begun = Promise.withResolvers<void>();
  const over = Promise.withResolvers<void>();
  const { feed, text } = asked;
  actor.running = { turn, abort, feed, text, begun: begun.promise, over: over.promise };
  // The abort reason shows if the cause is a time limit or an interrupt. The turn of a parent session also passes its
  // signal with this reason.
  const interrupt = (): void => abort.abort(asked.signal?.reason);
  if (asked.signal?.aborted === true) interrupt();
  asked.signal?.addEventListener('abort', interrupt, { once: true });
  const ended = new AbortController();
  const end = perform(actor, asked, workOf(actor, turn, abort.signal, asked.schema), begun.resolve);
  void abortWhenTimeIsOver(abort, actor.runtime, ended.signal);
  asked.settle(end);
  void end
    .then(
      () => rest(actor, asked, undefined),
      (error: unknown) => rest(actor, asked, asError(error)),
    )
    .finally(() => {
      asked.signal?.removeEventListener('abort', interrupt);
      ended.abort();
      over.resolve();
    });
}

function turnOf({ session, runtime }: Actor, beginning: TurnBeginning): TurnId {
  const held = beginning.with === 'resume' ? session.progress.turn?.id : undefined;
  return held ?? turnId(runtime.surroundings.newName());
}

/** Replaces parts of the session's runtime. A running turn also uses the new parts. */
export function applyRuntimeChange(actor: Actor, change: Pick<Runtime, 'tools' | 'given' | 'takeTools'>): void {
  actor.runtime = { ...actor.runtime, ...change };
}

/** Returns the context of a turn. The getter `runtime` always returns the session's current runtime. */
export function workOf(actor: Actor, turn: TurnId, signal: AbortSignal, schema?: AnswerSchema<unknown>): StepContext {
  const { session, promptStreams, wantedFor, side, children } = actor;
  const work: StepContext = {
    ...(side && { side }),
    ...(schema && { answerCheck: { schema, corrections: 0 } }),
    ...(children && { delegate: (asked) => delegate(children, work, asked) }),
    session,
    promptStreams,
    wantedFor,
    turn,
    signal,
    begunAt: actor.runtime.surroundings.elapsed(),
    reportedRewrites: new Set(),
    raisedNotices: actor.raisedNotices,
    watched: watchTurn(actor.runtime.watch, (event) => tell(actor, event)),
    tell: (event) => tell(actor, event),
    applyRuntimeChange: (change) => applyRuntimeChange(actor, change),
    get runtime() {
      return actor.runtime;
    },
  };
  return work;
}

async function perform(
  actor: Actor,
  { beginning }: QueuedTurn,
  work: StepContext,
  begun: () => void,
): Promise<FinishedTurn> {
  const buckets = watchBuckets(work.session, work.turn, beginning.with === 'resume' ? 'before' : 'now');
  try {
    // Subagents of an aborted turn may still be closing.
    if (actor.children !== undefined) await untilQuiet(actor.children);
    await beginTurn(work, beginning, actor.mode);
    begun();
    const finished = await runTurn(work);
    return { ...finished, totals: await buckets.addTo(finished.totals) };
  } catch (error) {
    throw asError(error);
  } finally {
    buckets.stop();
    begun();
  }
}

function rest(actor: Actor, { feed, text }: QueuedTurn, error: Error | undefined): void {
  actor.running = undefined;
  feed.end(error);
  text.end(error);
  if (error !== undefined && !isUnsaid(error)) return stop(actor, error);
  keepIfDue(actor);
  startNext(actor);
  if (actor.running === undefined && actor.stopped === undefined) actor.atRest?.();
}

/**
 * Returns true if the session stays usable after the error. A prompt with an image that cannot be sent, and a prompt that
 * a hook denied, are not recorded and start no turn. The caller can then send another prompt.
 */
function isUnsaid(error: Error): boolean {
  return error instanceof AgentError && (error.code === 'agent/unfit-image' || error.code === 'agent/hook-denied');
}

/** Writes a snapshot if one is due. The write starts between two turns, and the next turn does not wait for it. */
function keepIfDue(actor: Actor): void {
  const { session } = actor;
  if (!isSnapshotDue(session)) return;
  const kept = keepSnapshot(session).catch((error: unknown) => tellUnkept(actor, error));
  actor.keeping = Promise.all([actor.keeping, kept]).then(() => undefined);
}

function tellUnkept(actor: Actor, error: unknown): void {
  const why = error instanceof Error ? error.message : String(error);
  const message = `the snapshot of session ${actor.session.writer.session} could not be written: ${why}`;
  const next = 'Nothing is lost. Opening the session reads more of its log until a snapshot is written.';
  tell(actor, { type: 'notice.raised', notice: { code: 'session/snapshot-failed', message, next } });
}

interface TurnOrder<Output> {
  readonly schema?: AnswerSchema<Output>;
  readonly signal?: AbortSignal;
}

/** Stops the actor. Every later command and every queued turn fails with this error. */
export function stop(actor: Actor, error: Error): void {
  actor.stopped ??= error;
  actor.pause?.abort();
  for (const { feed, text, settle } of actor.waiting.splice(0)) {
    feed.end(error);
    text.end(error);
    settle(Promise.reject(error));
  }
}

function asError(error: unknown): Error {
  if (error instanceof AgentError || error instanceof LogError || error instanceof ProviderError) return error;
  const text = error instanceof Error ? error.message : String(error);
  const message = `a component of the session threw an unexpected error: ${text}. Open the session again; if the error occurs again, report it`;
  return new AgentError('agent/broken', message, {}, error);
}

interface QueuedTurn extends TurnOrder<unknown> {
  readonly beginning: TurnBeginning;
  readonly feed: EventFeed;
  readonly text: TextFeed;
  readonly settle: (end: Promise<FinishedTurn>) => void;
}

export interface RunningTurn {
  readonly turn: TurnId;
  readonly abort: AbortController;
  /** Feed for the listeners of this turn. */
  readonly feed: EventFeed;
  /** Text for the readers of this turn. */
  readonly text: TextFeed;
  /**
   * Settles when the start of the turn is recorded. Also settles when it is certain that the start will not be
   * recorded.
   */
  readonly begun: Promise<void>;
  /** Settles when the turn is over, with any outcome. Never rejects. */
  readonly over: Promise<void>;
}

/**
 * Creates a turn for the caller, and its queue entry. If the turn fails and the caller does not await it, there is no
 * unhandled rejection.
 */
function askForTurn<Output>(
  beginning: TurnBeginning,
  feed: EventFeed,
  request: TurnOrder<Output>,
): { readonly asked: QueuedTurn; readonly turn: Turn<Output> } {
  const { promise: ended, resolve } = Promise.withResolvers<FinishedTurn>();
  const promise = ended.then((finished) => withOutput(finished, request.schema));
  promise.catch(() => undefined);
  const text = createTextFeed();
  const turn: Turn<Output> = Object.assign(promise, {
    [Symbol.asyncIterator]: () => feed.listen(),
    textStream: text.pieces,
  });
  return { asked: { beginning, feed, text, settle: resolve, ...request }, turn };
}

async function withOutput<Output>(
  finished: FinishedTurn,
  schema: AnswerSchema<Output> | undefined,
): Promise<FinishedTurn<Output>> {
  if (schema === undefined || finished.outcome !== 'completed') return { ...finished, output: undefined };
  const read = await schema.read(finished.text);
  return { ...finished, output: 'value' in read ? read.value : undefined };
}
