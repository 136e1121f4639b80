// A session in the hands of its one writer: the log, and what is folded from it. Nothing counts before it is committed.

import type { Event, Log, LogWriter, Parent, Recorded, SessionId } from '@tidemark/log';
import type { State } from '@tidemark/context';
import { emptyState, evolve } from '@tidemark/context';
import type { Secrets } from '../commit/secrets.ts';
import { NO_SECRETS } from '../commit/secrets.ts';
import { AgentError } from '../errors.ts';
import type { Fold } from './fold.ts';
import { emptyFold, foldIn, readFold } from './fold.ts';
import type { Mutex } from './mutex.ts';
import { createMutex } from './mutex.ts';

/** An open session: what is folded from its log up to now, and its one writer. */
export interface Session extends Fold {
  readonly log: Log;
  readonly writer: LogWriter;
  /** What may not be written: replaced in everything that is committed, answers excepted. */
  readonly secrets: Secrets;
  /** Who reads the state and then appends goes through it, so that nobody appends in between. */
  readonly mutex: Mutex;
  /** How many of its records a snapshot holds. */
  kept: number;
  /** Told of each record once it is in the log. */
  readonly watchers: Set<(record: Recorded) => void>;
}

/** Begins a session. The first commit must be its `session.created`. */
export async function createSession(
  log: Log,
  id: SessionId,
  parent?: Parent,
  secrets: Secrets = NO_SECRETS,
): Promise<Session> {
  const writer = await log.create(id, parent);
  return hold(log, writer, secrets, parent === undefined ? undefined : [parent.session, parent.position + 1]);
}

/** Opens a session for writing: takes its lock, folds its log, writes nothing else. */
export async function openSession(log: Log, id: SessionId, secrets: Secrets = NO_SECRETS): Promise<Session> {
  const writer = await log.open(id);
  return hold(log, writer, secrets, [id, undefined]);
}

async function hold(
  log: Log,
  writer: LogWriter,
  secrets: Secrets,
  from: readonly [SessionId, number | undefined] | undefined,
): Promise<Session> {
  try {
    const { fold, kept } = from === undefined ? { fold: emptyFold(), kept: 0 } : await readFold(log, ...from);
    return { ...fold, kept, log, writer, secrets, mutex: createMutex(), watchers: new Set() };
  } catch (error) {
    await writer.close();
    throw error;
  }
}

/** The fold of a session's log, or of its beginning. Takes no lock. */
export async function foldLog(log: Log, id: SessionId, to?: number): Promise<State> {
  let state = emptyState();
  for await (const event of log.read(id, 0, to)) state = evolve(state, event);
  return state;
}

/**
 * The one funnel (L1): masks secrets, appends facts and folds them. What it returns is in the log, visible, and not yet
 * flushed: see `writer.sync` for the barrier.
 *
 * @throws AgentError `agent/conflict` when another writer was faster.
 */
export function commit(session: Session, events: readonly Event[]): Promise<readonly Recorded[]> {
  return session.mutex.pass(() => commitInside(session, events));
}

/** `commit` for who already holds the mutex. */
export async function commitInside(session: Session, events: readonly Event[]): Promise<readonly Recorded[]> {
  const masked = await Promise.all(events.map((event) => session.secrets.maskEvent(event)));
  const appended = await session.writer.append(masked, session.state.length);
  if (!appended.ok) {
    const { expected, actual } = appended.conflict;
    throw new AgentError(
      'agent/conflict',
      `session ${session.writer.session} holds ${actual} records, not ${expected}: read it again and decide again`,
    );
  }
  for (const record of appended.records) foldIn(session, record);
  for (const record of appended.records) for (const watch of session.watchers) watch(record);
  return appended.records;
}
