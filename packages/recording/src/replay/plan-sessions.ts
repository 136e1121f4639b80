// Which sessions of a recording are forks of which: a fork is driven from where it leaves its parent.

import type { Log, Recorded, RecordedOf, SessionId } from '@tidemark/log';

/** A session of the recording as it begins. */
export interface Planned {
  readonly session: SessionId;
  readonly beginning: RecordedOf<'session.created'>;
  readonly forks: readonly Planned[];
}

/** The sessions as trees. A fork whose parent is not among them, or does not reach its place, is driven from its root's beginning on. */
export async function planSessions(source: Log, sessions: readonly SessionId[]): Promise<readonly Planned[]> {
  const planned = new Map<SessionId, Planned & { readonly forks: Planned[] }>();
  const roots: Planned[] = [];
  for (const session of sessions) {
    const beginning = await firstOwnRecord(source, session);
    if (beginning === undefined) continue;
    const one = { session, beginning, forks: [] };
    planned.set(session, one);
    const { parent } = beginning.data;
    const trunk = parent === undefined ? undefined : planned.get(parent.session);
    const isReached = parent !== undefined && trunk !== undefined && parent.position >= trunk.beginning.position;
    (isReached ? trunk.forks : roots).push(one);
  }
  return roots;
}

async function firstOwnRecord(source: Log, session: SessionId): Promise<RecordedOf<'session.created'> | undefined> {
  for await (const record of source.read(session)) if (isBeginning(record) && record.data.id === session) return record;
  return undefined;
}

function isBeginning(record: Recorded): record is RecordedOf<'session.created'> {
  return record.kind === 'session.created';
}
