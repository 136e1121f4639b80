// Sessions that this server has open, and the feeds of all sessions that have a reader. A session is opened at the first
// command, and closed when it has been idle for a while, so that another process can write it.

import type { AgentForkOptions, AgentSession } from '@tidemark/agent';
import { defined, TidemarkError } from '@tidemark/core';
import type { Log, SessionId } from '@tidemark/log';
import { ServerError } from '../errors.ts';
import type { ChosenModel, NewSession, OpenedSession, SessionOpener } from '../ports.ts';
import type { ReadingLimits } from './catch-up.ts';
import { createReadingLimits } from './catch-up.ts';
import type { FrameSink } from './frames.ts';
import type { Questions } from './questions.ts';
import { createQuestions } from './questions.ts';
import type { SessionTurns } from './run-turns.ts';
import { createTurns } from './run-turns.ts';
import type { SessionFeed } from './session-feed.ts';
import { createSessionFeed } from './session-feed.ts';
import type { SessionMemories, SessionMemory } from './session-memory.ts';
import { memoryOf, shownMemory } from './session-memory.ts';

/** A session that this server has open. */
export interface LiveSession {
  readonly session: AgentSession;
  readonly questions: Questions;
}

/** Sessions of one server. */
export interface LiveSessions {
  /** Returns the ids of the sessions that this server has open. */
  open(): readonly SessionId[];
  /** Returns a session if this server has it open. */
  find(id: SessionId): LiveSession | undefined;
  /**
   * Returns true if something else has the session open: another process, or the session that started it as its
   * subagent.
   */
  isElsewhere(id: SessionId): Promise<boolean>;
  /**
   * Opens a session if needed, and passes it to a function. The session is not closed before the function has ended.
   *
   * @throws LogError `log/missing`; `log/locked` if another process has the session open.
   */
  use<Result>(id: SessionId, work: (live: LiveSession) => Promise<Result>): Promise<Result>;
  /**
   * Keeps the model of a session that the log does not contain yet. It is set again when the session was closed because
   * it was idle, until its next turn has ended.
   */
  keepModel(id: SessionId, model: ChosenModel): void;
  /** Returns the facts about a session that only this process knows. */
  memory(id: SessionId): SessionMemory | undefined;
  readonly turns: SessionTurns;
  create(choices: NewSession): Promise<LiveSession>;
  fork(id: SessionId, options: AgentForkOptions): Promise<LiveSession>;
  /**
   * Sends the frames of a session from a position on, until the signal aborts or the server closes.
   *
   * @throws ServerError `server/too-many-readers`, and as `SessionFeed.read` does.
   * @throws LogError as `SessionFeed.read` does.
   */
  read(id: SessionId, from: number, sink: FrameSink, signal: AbortSignal): Promise<void>;
  /** Numbers of open sessions, of running turns, of readers, and of questions that wait. */
  count(): { readonly open: number; readonly running: number; readonly readers: number; readonly questions: number };
  /** Interrupts every turn, closes every session and ends every reader. */
  close(): Promise<void>;
}

/** Options of the sessions of a server. */
export interface LiveSessionsOptions {
  readonly log: Log;
  readonly opener: SessionOpener;
  /** Time after which an idle session is closed, in milliseconds. */
  readonly idleMs: number;
  /** Maximum number of readers of all sessions together. */
  readonly maxReaders: number;
}

interface Held extends LiveSession {
  readonly opened: OpenedSession;
  /** Number of commands that use the session. */
  uses: number;
  /** Time of the last use, in milliseconds of `performance.now()`. */
  lastUse: number;
}

interface SessionTable {
  readonly options: LiveSessionsOptions;
  readonly held: Map<SessionId, Held>;
  readonly opening: Map<SessionId, Promise<Held>>;
  /** Idle sessions that are being closed. */
  readonly ending: Map<SessionId, Promise<void>>;
  readonly feeds: Map<SessionId, SessionFeed>;
  readonly memories: SessionMemories;
  readonly limits: ReadingLimits;
  closing: boolean;
}

/** Creates the sessions of a server. */
export function createLiveSessions(options: LiveSessionsOptions): LiveSessions {
  const sessions: SessionTable = {
    options,
    held: new Map(),
    opening: new Map(),
    ending: new Map(),
    feeds: new Map(),
    memories: new Map(),
    limits: createReadingLimits(),
    closing: false,
  };
  const sweep = setInterval(() => closeIdle(sessions), Math.max(10, options.idleMs / 4)).unref();
  return {
    open: () => [...sessions.held.keys()],
    find: (id) => sessions.held.get(id),
    isElsewhere: (id) => isElsewhere(sessions, id),
    use: (id, work) => use(sessions, id, work),
    keepModel(id, model) {
      memoryOf(sessions.memories, id).model = model;
    },
    memory: (id) => sessions.memories.get(id),
    turns: createTurns({
      memories: sessions.memories,
      tell: (id, event) => sessions.feeds.get(id)?.tell(event),
      use: (id, work) => use(sessions, id, ({ session }) => work(session)),
      failed(id, error) {
        const held = sessions.held.get(id);
        if (held !== undefined && hasStopped(error)) endHeld(sessions, id, held);
      },
    }),
    create: (choices) => holdNew(sessions, (ask) => options.opener.create(choices, ask)),
    fork: (id, how) =>
      holdNew(sessions, (ask) => options.opener.fork(id, { ...sessions.memories.get(id)?.model, ...how }, ask)),
    read: (id, from, sink, signal) => readFeed(sessions, id, from, sink, signal),
    count() {
      const held = [...sessions.held.values()];
      const questions = held.reduce((sum, one) => sum + one.questions.waiting().length, 0);
      const running = held.filter(({ session }) => session.running).length;
      return { open: held.length, running, readers: readersOf(sessions), questions };
    },
    async close() {
      sessions.closing = true;
      clearInterval(sweep);
      await Promise.allSettled([...sessions.opening.values(), ...sessions.ending.values()]);
      await Promise.allSettled([...sessions.held.values()].map(({ opened }) => opened.close()));
      for (const feed of sessions.feeds.values()) feed.close();
    },
  };
}

async function isElsewhere({ held, opening, ending, options }: SessionTable, id: SessionId): Promise<boolean> {
  const isHere = (): boolean => held.has(id) || opening.has(id) || ending.has(id);
  if (isHere()) return false;
  // A lock that cannot be read is reported by the next command that needs it.
  const isOpen = await options.log.isOpen(id).catch(() => false);
  return isOpen && !isHere();
}

async function use<Result>(
  sessions: SessionTable,
  id: SessionId,
  work: (live: LiveSession) => Promise<Result>,
): Promise<Result> {
  const held = sessions.held.get(id) ?? (await openHeld(sessions, id));
  held.uses += 1;
  try {
    return await work(held);
  } catch (error) {
    // A session whose storage failed takes no more commands. The next command opens it again.
    if (hasStopped(error) && sessions.held.get(id) === held) endHeld(sessions, id, held);
    throw error;
  } finally {
    held.uses -= 1;
    held.lastUse = performance.now();
  }
}

/** Returns true if an error, or one of its causes, means that the session takes no more commands. */
function hasStopped(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return (error instanceof TidemarkError && STOPPED.has(error.code)) || hasStopped(error.cause);
}

const STOPPED: ReadonlySet<string> = new Set([
  'log/write-failed',
  'log/flush-failed',
  'log/moved',
  'log/latched',
  'log/closed',
  'agent/closed',
  'agent/stopped',
]);

/** Opens a session. Two commands that come at the same time share one opening. */
function openHeld(sessions: SessionTable, id: SessionId): Promise<Held> {
  const { opening, ending, options } = sessions;
  const open = async (): Promise<Held> => {
    await ending.get(id);
    const held = await hold(sessions, (ask) => options.opener.open(id, ask));
    const model = sessions.memories.get(id)?.model;
    if (model !== undefined) await held.session.setModel(model.model, defined({ provider: model.provider }));
    return held;
  };
  const running = opening.get(id) ?? open().finally(() => opening.delete(id));
  opening.set(id, running);
  return running;
}

/** Opens a new session, and keeps its model until the log contains it. */
async function holdNew(sessions: SessionTable, open: (ask: Questions['ask']) => Promise<OpenedSession>): Promise<Held> {
  const held = await hold(sessions, open);
  const { model } = held.opened;
  if (model !== undefined) memoryOf(sessions.memories, held.session.id).model = model;
  return held;
}

async function hold(sessions: SessionTable, open: (ask: Questions['ask']) => Promise<OpenedSession>): Promise<Held> {
  if (sessions.closing) throw closing();
  const place: { feed?: SessionFeed } = {};
  const questions = createQuestions((event) => place.feed?.tell(event));
  const opened = await open(questions.ask);
  const { session } = opened;
  if (sessions.closing) {
    await opened.close();
    throw closing();
  }
  const held: Held = { session, questions, opened, uses: 0, lastUse: performance.now() };
  place.feed = feedOf(sessions, session.id);
  const ended = place.feed.attach(session, questions.waiting);
  sessions.held.set(session.id, held);
  // A session whose storage failed ends by itself. The next command opens it again.
  void ended.then(() => {
    if (sessions.held.get(session.id) === held) endHeld(sessions, session.id, held);
  });
  return held;
}

function closing(): ServerError {
  return new ServerError('server/closing', 'the server is stopping', 'send the request again when it runs again');
}

function feedOf({ feeds, options, limits, memories }: SessionTable, id: SessionId): SessionFeed {
  const memory = (): ReturnType<typeof shownMemory> => shownMemory(memories.get(id));
  const feed = feeds.get(id) ?? createSessionFeed(options.log, id, { limits, memory });
  feeds.set(id, feed);
  return feed;
}

function readersOf({ feeds }: SessionTable): number {
  return [...feeds.values()].reduce((sum, feed) => sum + feed.readers(), 0);
}

async function readFeed(
  sessions: SessionTable,
  id: SessionId,
  from: number,
  sink: FrameSink,
  signal: AbortSignal,
): Promise<void> {
  const { maxReaders } = sessions.options;
  if (sessions.closing) throw closing();
  // Commands must still find a free connection if a client opens many streams.
  if (readersOf(sessions) >= maxReaders)
    throw new ServerError(
      'server/too-many-readers',
      `${maxReaders} clients are following events`,
      'end the streams that are not needed, or try again later',
    );
  const feed = feedOf(sessions, id);
  try {
    await feed.read(from, sink, signal);
  } finally {
    forgetFeed(sessions, id, feed);
  }
}

/** Forgets a feed without readers whose session is not open. */
function forgetFeed({ feeds, held }: SessionTable, id: SessionId, feed: SessionFeed): void {
  if (feed.readers() === 0 && !held.has(id) && feeds.get(id) === feed) feeds.delete(id);
}

function closeIdle(sessions: SessionTable): void {
  const before = performance.now() - sessions.options.idleMs;
  for (const [id, held] of sessions.held) {
    const { session, questions, uses, lastUse } = held;
    const works =
      session.running || questions.waiting().length > 0 || session.processes.list().some(({ running }) => running);
    if (works || isWarmedFor(sessions.feeds.get(id))) held.lastUse = performance.now();
    else if (uses === 0 && lastUse <= before) endHeld(sessions, id, held);
  }
}

/**
 * True if a request is planned that keeps the cache warm, and a reader follows the session. Without a reader the session
 * is closed, so that another process can continue it.
 */
function isWarmedFor(feed: SessionFeed | undefined): boolean {
  return feed !== undefined && feed.readers() > 0 && feed.warms();
}

function endHeld(sessions: SessionTable, id: SessionId, { opened }: Held): void {
  const { held, ending, feeds } = sessions;
  held.delete(id);
  const end = async (): Promise<void> => {
    // The error of a session that cannot be closed was thrown to the command that caused it.
    await opened.close().catch(() => undefined);
    ending.delete(id);
    const feed = feeds.get(id);
    if (feed !== undefined) forgetFeed(sessions, id, feed);
  };
  ending.set(id, end());
}
