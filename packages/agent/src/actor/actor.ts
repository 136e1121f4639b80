// The actor of an open session: takes commands, runs one turn at a time, tells what happens. What breaks it is told to every
// later command.

import type { TurnId } from '@tidemark/log';
import { LogError, turnId } from '@tidemark/log';
import { ProviderError } from '@tidemark/model';
import { AgentError } from '../errors.ts';
import type { AskBeside } from '../ports/compaction.ts';
import type { FinishedTurn, Turn } from '../ports/live-session.ts';
import type { Mode } from '../ports/permissions.ts';
import type { Runtime } from '../ports/runtime.ts';
import type { SessionEvent } from '../ports/session-event.ts';
import type { PromptStreams } from '../request/prepare.ts';
import type { AnswerSchema } from '../session/answer-schema.ts';
import type { Session } from '../session/session.ts';
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
import type { EventFeed } from './event-feed.ts';
import { createEventFeed } from './event-feed.ts';

/** The state of an open session in this process. One turn runs at a time. */
export interface Actor {
  readonly session: Session;
  readonly promptStreams: PromptStreams;
  readonly wantedFor: WantedFor;
  readonly feed: EventFeed;
  readonly waiting: QueuedTurn[];
  /** Side calls on their way: what stops each, and its end. */
  readonly beside: Map<AbortController, Promise<unknown>>;
  runtime: Runtime;
  /** What it was opened with: what was said for that provider is for no other. */
  readonly first: Runtime;
  /** What the next command writes where the log says otherwise. */
  mode: Mode;
  running: RunningTurn | undefined;
  /** Asks beside the conversation. */
  side: AskBeside | undefined;
  /** Its subagents, where it may have any. */
  children: Children | undefined;
  /** Ends what is done between two turns. */
  pause: AbortController | undefined;
  /** Called when a turn has ended and none waits. */
  atRest: (() => void) | undefined;
  /** The snapshot that is on its way to the store; done otherwise. */
  keeping: Promise<void>;
  /** Why no command is taken any more. */
  stopped: Error | undefined;
}

/** An actor over an open session, at rest. */
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
    running: undefined,
    side: undefined,
    children: undefined,
    pause: undefined,
    atRest: undefined,
    keeping: Promise.resolve(),
    stopped: undefined,
  };
  session.watchers.add((record) => tell(actor, { type: 'recorded', record }));
  return actor;
}

/** Tells everybody who listens. */
export function tell(actor: Actor, event: SessionEvent): void {
  actor.feed.tell(event);
  actor.running?.feed.tell(event);
}

/** What is done between two turns begins anew: the next request is to be another. */
export function restAnew(actor: Actor): void {
  actor.pause?.abort();
  if (actor.running === undefined && actor.stopped === undefined) actor.atRest?.();
}

/** @throws what stopped the actor: it takes no further command. */
export function requireUsable({ stopped }: Actor): void {
  if (stopped !== undefined) throw stopped;
}

/** Puts a turn in line, and begins it when it is the first. */
export function enqueueTurn<Output = undefined>(
  actor: Actor,
  beginning: TurnBeginning,
  schema?: AnswerSchema<Output>,
): Turn<Output> {
  const { session } = actor;
  const feed = createEventFeed((from, to) => session.log.read(session.writer.session, from, to), true);
  const { asked, turn } = askForTurn(beginning, feed, schema);
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
  actor.running = { turn, abort, feed: asked.feed, begun: begun.promise, over: over.promise };
  const end = perform(actor, asked, workOf(actor, turn, abort.signal, asked.schema), begun.resolve);
  asked.settle(end);
  void end
    .then(
      () => rest(actor, asked, undefined),
      (error: unknown) => rest(actor, asked, asError(error)),
    )
    .finally(over.resolve);
}

/** A turn that goes on keeps its name. */
function turnOf({ session, runtime }: Actor, beginning: TurnBeginning): TurnId {
  const held = beginning.with === 'resume' ? session.progress.turn?.id : undefined;
  return held ?? turnId(runtime.surroundings.newName());
}

/** What the session is run with is this from now on. */
export function applyRuntimeChange(actor: Actor, change: Pick<Runtime, 'tools' | 'given' | 'takeTools'>): void {
  actor.runtime = { ...actor.runtime, ...change };
}

/** What a turn works with; the runtime is the one of now, whenever it is looked at. */
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
  try {
    // Those of a turn that was given up may still be on their way out.
    if (actor.children !== undefined) await untilQuiet(actor.children);
    await beginTurn(work, beginning, actor.mode);
    begun();
    return await runTurn(work);
  } catch (error) {
    throw asError(error);
  } finally {
    begun();
  }
}

function rest(actor: Actor, { feed }: QueuedTurn, error: Error | undefined): void {
  actor.running = undefined;
  feed.end(error);
  if (error !== undefined && !isUnsaid(error)) return stop(actor, error);
  keepIfDue(actor);
  startNext(actor);
  if (actor.running === undefined && actor.stopped === undefined) actor.atRest?.();
}

/** A prompt that cannot be kept was never said: nothing of its turn is in the log, and whoever gave it gives another. */
function isUnsaid(error: Error): boolean {
  return error instanceof AgentError && error.code === 'agent/unfit-image';
}

/** Between two turns, and nobody waits for the store. */
function keepIfDue(actor: Actor): void {
  const { session } = actor;
  if (!isSnapshotDue(session)) return;
  const kept = keepSnapshot(session).catch((error: unknown) => tellUnkept(actor, error));
  actor.keeping = Promise.all([actor.keeping, kept]).then(() => undefined);
}

function tellUnkept(actor: Actor, error: unknown): void {
  const why = error instanceof Error ? error.message : String(error);
  const message = `no snapshot of session ${actor.session.writer.session} could be written: ${why}`;
  const next = 'Nothing is lost: until there is one, opening the session reads more of its log.';
  tell(actor, { type: 'notice.raised', notice: { code: 'session/snapshot-failed', message, next } });
}

/** Takes no further command: each is told this error, and so is every turn in line. */
export function stop(actor: Actor, error: Error): void {
  actor.stopped ??= error;
  actor.pause?.abort();
  for (const { feed, settle } of actor.waiting.splice(0)) {
    feed.end(error);
    settle(Promise.reject(error));
  }
}

function asError(error: unknown): Error {
  if (error instanceof AgentError || error instanceof LogError || error instanceof ProviderError) return error;
  const said = error instanceof Error ? error.message : String(error);
  const message = `something that the session is run with threw what it may not: ${said}. Open the session again; if it comes back, report it`;
  return new AgentError('agent/broken', message, {}, error);
}

/** A turn that was asked for. */
interface QueuedTurn {
  readonly beginning: TurnBeginning;
  /** Schema that its answer must match. */
  readonly schema?: AnswerSchema<unknown>;
  readonly feed: EventFeed;
  readonly settle: (end: Promise<FinishedTurn>) => void;
}

/** A turn at work. */
export interface RunningTurn {
  readonly turn: TurnId;
  readonly abort: AbortController;
  /** The listeners of this turn. */
  readonly feed: EventFeed;
  /** Settles once the turn stands in the log, or will not. */
  readonly begun: Promise<void>;
  /** Settles when the turn is over, however it ended; never rejects. */
  readonly over: Promise<void>;
}

/** A turn for the caller, and the request for it. A rejection without a listener is not reported as unhandled. */
function askForTurn<Output>(
  beginning: TurnBeginning,
  feed: EventFeed,
  schema: AnswerSchema<Output> | undefined,
): { readonly asked: QueuedTurn; readonly turn: Turn<Output> } {
  const { promise: ended, resolve } = Promise.withResolvers<FinishedTurn>();
  const promise = ended.then((finished) => withOutput(finished, schema));
  promise.catch(() => undefined);
  const turn: Turn<Output> = {
    [Symbol.asyncIterator]: () => feed.listen(),
    // A turn is awaited for its end: see `Turn`.
    // oxlint-disable-next-line unicorn/no-thenable
    then: (onEnd, onError) => promise.then(onEnd, onError),
  };
  return { asked: { beginning, feed, settle: resolve, ...(schema && { schema }) }, turn };
}

async function withOutput<Output>(
  finished: FinishedTurn,
  schema: AnswerSchema<Output> | undefined,
): Promise<FinishedTurn<Output>> {
  if (schema === undefined || finished.outcome !== 'completed') return { ...finished, output: undefined };
  const read = await schema.read(finished.text);
  return { ...finished, output: 'value' in read ? read.value : undefined };
}
