// A log read as a book: every record of a session with the session that holds it, found by nothing but reading.

import type { EpochOpened, Log, Recorded, RecordedOf, SessionId } from '@tidemark/log';

/** One record and whose it is. */
export interface Entry {
  readonly owner: SessionId;
  readonly record: Recorded;
}

/** Reads a whole session, ancestors included. A record belongs to the session that was created last before it. */
export async function readBook(log: Log, session: SessionId): Promise<readonly Entry[]> {
  const book: Entry[] = [];
  let owner = session;
  for await (const record of log.read(session)) {
    if (record.kind === 'session.created') owner = record.data.id;
    book.push({ owner, record });
  }
  return book;
}

/** The epoch that a request names. */
export function epochOf(book: readonly Entry[], request: RecordedOf<'request.prepared'>): EpochOpened {
  const opened = book
    .map(({ record }) => record)
    .findLast(
      (record) =>
        record.kind === 'epoch.opened' &&
        record.position < request.position &&
        record.data.number === request.data.epoch,
    );
  if (opened?.kind !== 'epoch.opened')
    throw new Error(`request ${request.position} names epoch ${request.data.epoch}, which the log does not hold`);
  return opened.data;
}

/** What two records have in common when they say the same: everything but who wrote them, which the chain holds too. */
export function saidBy({ record }: Entry): unknown {
  const { kind, at, position } = record;
  const data =
    record.kind === 'session.created' ? { ...record.data, parent: record.data.parent?.position } : record.data;
  return { kind, at, data, position };
}
