// Log of a session in the form that the checks of the laws need: every record with the session that wrote it, the
// epochs and the stubs. It is read without the engine's fold, so that the checks do not depend on the fold.

import { isDeepStrictEqual } from 'node:util';
import type { EpochOpened, Log, Recorded, RecordedOf, SessionId } from '@tidemark/log';
import { expect } from 'vitest';

/** One record, and the session that wrote it. */
export interface Entry {
  readonly owner: SessionId;
  readonly record: Recorded;
}

/** The log of a session, ancestors included. The index of an entry is its position. */
export interface Book {
  readonly entries: readonly Entry[];
  readonly records: readonly Recorded[];
  readonly epochs: ReadonlyMap<number, readonly RecordedOf<'epoch.opened'>[]>;
  /** Texts of the stubs that replace quarantined blocks. */
  readonly stubs: ReadonlySet<string>;
}

/** Reads the log of a session. A record belongs to the session that was created last before it. */
export async function readBook(log: Log, session: SessionId): Promise<Book> {
  const entries: Entry[] = [];
  let owner = session;
  for await (const record of log.read(session)) {
    if (record.kind === 'session.created') owner = record.data.id;
    entries.push({ owner, record });
  }
  const records = entries.map(({ record }) => record);
  const opened = records.filter((record): record is RecordedOf<'epoch.opened'> => record.kind === 'epoch.opened');
  const stubs = records.flatMap((record) => (record.kind === 'block.quarantined' ? [record.data.stub] : []));
  return { entries, records, epochs: Map.groupBy(opened, ({ data }) => data.number), stubs: new Set(stubs) };
}

/**
 * Returns the epoch whose number is in the record of a request.
 *
 * @throws Error if the log contains no such epoch before the request.
 */
export function epochOf({ epochs }: Book, { position, data }: RecordedOf<'request.prepared'>): EpochOpened {
  const opened = epochs.get(data.epoch)?.findLast((record) => record.position < position);
  if (opened === undefined) throw new Error(`request ${position} names epoch ${data.epoch}, which is not in the log`);
  return opened.data;
}

/**
 * Returns the record of the epoch that opened directly before this request. Returns `undefined` if the request opened
 * no epoch.
 */
export function openedWith({ records }: Book, { position }: Recorded): RecordedOf<'epoch.opened'> | undefined {
  const before = records[position - 1];
  return before?.kind === 'epoch.opened' ? before : undefined;
}

/**
 * Returns the kind, time, data and position of each record. Omits the digests of the chain and the id of a parent
 * session.
 */
export function factsOf({ records }: Book): readonly unknown[] {
  return records.map((record) => {
    const { kind, at, position } = record;
    const data =
      record.kind === 'session.created' ? { ...record.data, parent: record.data.parent?.position } : record.data;
    return { kind, at, data, position };
  });
}

/** Expects two values to be equal. Much faster than `toEqual` for large values that are equal. */
export function expectSame(is: unknown, expected: unknown): void {
  if (!isDeepStrictEqual(is, expected)) expect(is).toEqual(expected);
}
