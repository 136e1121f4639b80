// A fork's own first records: that it was created, and what it is told of what it leaves behind.

import type { Event, HistoryCompacted, Log, SessionId, Timestamp } from '@tidemark/log';
import type { Secrets } from '../commit/secrets.ts';
import type { Session } from '../session/session.ts';
import { commit, createSession } from '../session/session.ts';
import type { ForkPlan } from './plan-fork.ts';

/** What a fork begins with beside its plan. */
export interface ForkBeginning {
  readonly id: SessionId;
  readonly at: Timestamp;
  readonly secrets?: Secrets;
  /** A compaction of all that it begins with: in the same append, so that there is no such fork without it. */
  readonly compacted?: HistoryCompacted;
}

/**
 * Begins a fork: it refers to its parent's log up to the cut, and inherits the epoch in force there. The parent is not
 * touched. The session that comes back is open; whoever only wanted it to be there closes its writer.
 *
 * @throws LogError `log/exists`, `log/locked`, `log/parent-missing`, `log/parent-diverged`.
 */
export async function beginFork(log: Log, plan: ForkPlan, beginning: ForkBeginning): Promise<Session> {
  const session = await createSession(log, beginning.id, plan.parent, beginning.secrets);
  try {
    await commit(session, firstEvents(plan, beginning));
  } catch (error) {
    await session.writer.close();
    throw error;
  }
  return session;
}

function firstEvents(
  { created, parent, mode, summary }: ForkPlan,
  { id, at, compacted }: ForkBeginning,
): readonly Event[] {
  return [
    { kind: 'session.created', at, data: { id, parent, ...created } },
    ...(mode === undefined ? [] : [{ kind: 'mode.changed', at, data: { mode, by: 'settings' } } as const]),
    ...(summary === undefined ? [] : [{ kind: 'branch.summarized', at, data: summary } as const]),
    ...(compacted === undefined ? [] : [{ kind: 'history.compacted', at, data: compacted } as const]),
  ];
}
