// Yields the records of a session, and new records as they are appended on any machine.

import type { AbortSignalLike, Recorded, SessionId } from '@tidemark/log';
import { LogError, readLineage } from '@tidemark/log';

import type { HeadWatch } from './head-watch.ts';
import type { TenantSessions } from './read-records.ts';
import { headOf, lineage, readOwn } from './read-records.ts';

/** Yields the records from `from` in batches, then new records as they arrive, until the signal aborts. */
export async function* tailSession(
  sessions: TenantSessions & { readonly heads: HeadWatch },
  session: SessionId,
  from: number,
  signal: AbortSignalLike,
): AsyncGenerator<readonly Recorded[]> {
  const origins = await lineage(sessions, session);
  const { start } = await headOf(sessions, session);
  yield* readLineage(origins, from, start, (name, first, end) => readOwn(sessions, name, first, end));
  const { heads } = sessions;
  let last: Recorded | undefined;
  for (let at = Math.max(from, start); !signal.aborted;) {
    const { length } = await headOf(sessions, session);
    for await (const batch of newRecords(sessions, session, at, length, last)) {
      yield batch;
      last = batch.at(-1);
      at += batch.length;
    }
    await heads.change(session, length, signal);
  }
}

/**
 * Yields the records `from` to `to`. The record before them is read again: after a crash of the database, other records
 * can have taken the place of records that were not flushed.
 */
async function* newRecords(
  sessions: TenantSessions,
  session: SessionId,
  from: number,
  to: number,
  last: Recorded | undefined,
): AsyncGenerator<readonly Recorded[]> {
  if (last === undefined) {
    yield* readOwn(sessions, session, from, to);
    return;
  }
  let isFirst = true;
  for await (const batch of readOwn(sessions, session, last.position, to)) {
    if (isFirst && batch[0]?.chain !== last.chain) throw moved(session, from);
    const added = isFirst ? batch.slice(1) : batch;
    if (added.length > 0) yield added;
    isFirst = false;
  }
  if (isFirst) throw moved(session, from);
}

function moved(session: SessionId, length: number): LogError {
  const message = `Session ${session} lost records that were not flushed, when its database stopped. Read it again from a position before ${length}.`;
  return new LogError('log/moved', message, { session, length });
}
