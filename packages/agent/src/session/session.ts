// A session in the hands of its one writer: the log, and the state folded from it. Nothing counts before it is committed.

import type { Event, Log, LogWriter, Parent, Recorded, SessionId } from '@tidemark/log';
import type { State } from '@tidemark/context';
import { emptyState, evolve } from '@tidemark/context';
import { AgentError } from '../errors.ts';

/** An open session. `state` is what the log says up to now. */
export interface Session {
  readonly log: Log;
  readonly writer: LogWriter;
  state: State;
}

/** Begins a session. The first commit must be its `session.created`. */
export async function createSession(log: Log, id: SessionId, parent?: Parent): Promise<Session> {
  const writer = await log.create(id, parent);
  return {
    log,
    writer,
    state: parent === undefined ? emptyState() : await foldLog(log, parent.session, parent.position + 1),
  };
}

/** Opens a session for writing: takes its lock, folds its log, writes nothing else. */
export async function openSession(log: Log, id: SessionId): Promise<Session> {
  const writer = await log.open(id);
  try {
    return { log, writer, state: await foldLog(log, id) };
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
 * The one funnel (L1): appends facts and folds them. What it returns is in the log, visible, and not yet flushed: see
 * `writer.sync` for the barrier.
 *
 * @throws AgentError `agent/conflict` when another writer was faster.
 */
export async function commit(session: Session, events: readonly Event[]): Promise<readonly Recorded[]> {
  const appended = await session.writer.append(events, session.state.length);
  if (!appended.ok) {
    const { expected, actual } = appended.conflict;
    throw new AgentError(
      'agent/conflict',
      `session ${session.writer.session} holds ${actual} records, not ${expected}: read it again and decide again`,
    );
  }
  session.state = appended.records.reduce(evolve, session.state);
  return appended.records;
}
