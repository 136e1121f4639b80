// Opens writers: takes the lease of a session, checks the records that no writer has checked, and removes an incomplete
// record at the end.

import { randomUUID } from 'node:crypto';

import { nodeBytes } from '@tidemark/files';
import type { EncodedRecords, LogWriter, Parent, SessionId, Tip, WriterStorage } from '@tidemark/log';
import { EMPTY_TIP, LogError, chain as mintChain, createSerialWriter, diverged } from '@tidemark/log';

import type { HeadWatch } from './head-watch.ts';
import type { Leases } from './leases.ts';
import type { Head, TenantSessions } from './read-records.ts';
import { begin, missing, recordAt, scan } from './read-records.ts';

/** Sessions that this process writes. */
export interface WrittenSessions extends TenantSessions {
  readonly leases: Leases;
  readonly heads: HeadWatch;
}

/** Creates a session and takes its lease. When the promise resolves, the parent's records are on stable storage. */
export async function createWriter(
  sessions: WrittenSessions,
  session: SessionId,
  parent: Parent | undefined,
): Promise<LogWriter> {
  const tip = parent === undefined ? EMPTY_TIP : await forkTip(sessions, parent);
  const { fence, owner } = await take(sessions, session, tip);
  return writerOf(sessions, { session, parent, tip, fence, owner });
}

/** Opens a session that has records, and takes its lease. */
export async function openWriter(sessions: WrittenSessions, session: SessionId): Promise<LogWriter> {
  const { parent } = (await begin(sessions, session)).record.data;
  if (parent !== undefined) await forkTip(sessions, parent);
  const { owner, ...taken } = await take(sessions, session);
  const { fence } = taken;
  try {
    const tip = await checkedTip(sessions, session, taken);
    return writerOf(sessions, { session, parent, tip, fence, owner });
  } catch (error) {
    await release(sessions, { session, fence, owner });
    throw error;
  }
}

/** Session whose lease was taken. */
export interface TakenSession extends Head {
  readonly outcome: 'taken' | 'locked' | 'missing' | 'exists';
  /** Number of records that a writer has checked or written. */
  readonly checked: number;
  readonly fence: number;
}

/** Takes the lease of a session: a new one if `created` is given, else one that exists. */
export async function take(
  { database, tenant, leases }: WrittenSessions,
  session: SessionId,
  created?: Tip,
): Promise<TakenSession & { readonly owner: string }> {
  const owner = `${leases.name}/${randomUUID()}`;
  const values = [tenant, session, owner, leases.duration, created?.length ?? null, created?.chain ?? null];
  const [taken] = await database.call<TakenSession>('take_session', values);
  if (taken?.outcome === 'locked') throw locked(session);
  if (taken?.outcome === 'exists') {
    throw new LogError('log/exists', `Session ${session} already exists; open it, or use another id.`, { session });
  }
  if (taken?.outcome !== 'taken') throw missing(session);
  leases.keep(session, owner);
  return { ...taken, owner };
}

/** Returns the error for a session whose lease another writer holds. */
export function locked(session: SessionId): LogError {
  const message = `Session ${session} is open in another process or on another machine. Close it there, or try again when its lease has ended.`;
  return new LogError('log/locked', message, { session });
}

/**
 * Returns the tip that a fork continues from.
 *
 * @throws LogError `log/parent-missing` or `log/parent-diverged`.
 */
export async function forkTip(sessions: TenantSessions, parent: Parent): Promise<Tip> {
  const record = await recordAt(sessions, parent.session, parent.position).catch((cause: unknown) => {
    if (!(cause instanceof LogError) || cause.code !== 'log/missing') throw cause;
    const message = `Session ${parent.session} cannot be forked, because it does not exist here. Restore it, or begin without a parent.`;
    throw new LogError('log/parent-missing', message, { parent: parent.session, position: parent.position }, cause);
  });
  if (record === undefined) throw diverged(parent, `that session ends before position ${parent.position}`);
  if (record.chain !== parent.chain) throw diverged(parent, 'that position now contains another record');
  return { length: record.position + 1, chain: record.chain, fence: record.fence };
}

/** Checks the records that no writer has checked, and removes an incomplete record after them. */
async function checkedTip(sessions: WrittenSessions, session: SessionId, head: TakenSession): Promise<Tip> {
  const { start, checked, length, size, fence } = head;
  if (checked === length) return { length, chain: mintChain(head.chain), fence };
  const { tip, offset } = await checkFrom(sessions, session, start);
  if (tip.length < length) throw lost(session, tip.length, length);
  if (offset !== size) await cut(sessions, session, fence, tip, offset);
  return { ...tip, fence };
}

async function checkFrom(
  sessions: TenantSessions,
  session: SessionId,
  start: number,
): Promise<{ readonly tip: Tip; readonly offset: number }> {
  const records = scan(sessions, session, { start, from: start, to: Infinity, isCheck: true });
  for (;;) {
    const step = await records.next();
    if (step.done === true) return step.value;
  }
}

async function cut(
  { database, tenant }: TenantSessions,
  session: SessionId,
  fence: number,
  tip: Tip,
  size: number,
): Promise<void> {
  await database.call('cut_records', [tenant, session, fence, tip.length, tip.chain, size]);
}

function lost(session: SessionId, found: number, length: number): LogError {
  const message = `Session ${session} has ${length} records, but only the first ${found} of them are in the database. Nothing was changed; restore the database from a backup, or copy the records that exist into a new session.`;
  return new LogError('log/damaged', message, { session, length, found, phase: 'sequence' });
}

/** Session that this process holds. */
interface LeasedSession {
  readonly session: SessionId;
  readonly fence: number;
  readonly owner: string;
}

function writerOf(
  sessions: WrittenSessions,
  held: LeasedSession & { readonly parent: Parent | undefined; readonly tip: Tip },
): LogWriter {
  return createSerialWriter(held, storageOf(sessions, held), nodeBytes);
}

function storageOf(sessions: WrittenSessions, held: LeasedSession): WriterStorage {
  const { database, tenant, leases, heads } = sessions;
  const { session, fence } = held;
  const headNow = async (): Promise<WrittenHead | undefined> =>
    (await database.call<WrittenHead>('head_of', [tenant, session]))[0];
  return {
    write: (added, before) =>
      storing(session, 'log/write-failed', async () => {
        const { lines, tip } = added;
        const values = [tenant, session, fence, before.length, tip.chain, leases.duration, sizesOf(added), lines];
        const [row] = await database.call<{ append_records: boolean }>('append_records', values);
        const head = row?.append_records === true ? undefined : await headNow();
        // A call that was repeated finds the records of its first try.
        if (row?.append_records !== true && !isAt(head, tip, fence)) throw moved(session, before, head);
        heads.learn(session);
      }),
    flush: (tip) =>
      storing(session, 'log/flush-failed', async () => {
        const values = [tenant, session, fence, tip.length, leases.duration];
        const [row] = await database.call<{ flush_session: boolean }>('flush_session', values);
        if (row?.flush_session !== true) throw moved(session, tip, await headNow());
      }),
    release: () => release(sessions, held),
  };
}

async function release({ database, tenant, leases }: WrittenSessions, held: LeasedSession): Promise<void> {
  leases.drop(held.owner);
  // Without the database, the lease ends by itself.
  await database.call('release_session', [tenant, held.session, held.fence, held.owner]).catch(() => undefined);
}

/** Head of a session, and the number of its last writer. */
export interface WrittenHead {
  readonly length: number;
  readonly chain: string;
  readonly fence: number;
}

/** Returns true if the head is the end of what this writer has written. */
export function isAt(head: WrittenHead | undefined, tip: Tip, fence: number): boolean {
  return head?.fence === fence && head.length === tip.length && head.chain === tip.chain;
}

/** Runs a write or a flush. Throws its error as a `LogError`. */
export async function storing(
  session: SessionId,
  code: 'log/write-failed' | 'log/flush-failed',
  work: () => Promise<void>,
): Promise<void> {
  try {
    await work();
  } catch (cause) {
    if (cause instanceof LogError && cause.code === 'log/moved') throw cause;
    const what = code === 'log/write-failed' ? 'could not be written' : 'could not be flushed to stable storage';
    const reason = cause instanceof Error ? cause.message : String(cause);
    const message = `Session ${session} ${what} (${reason}). This writer accepts no more records; close it, check the database, and open the session again.`;
    throw new LogError(code, message, { session }, cause);
  }
}

/** Returns the error for a session that changed without its writer. */
export function moved(session: SessionId, before: Pick<Tip, 'length'>, head: WrittenHead | undefined): LogError {
  const found =
    head === undefined
      ? 'it does not exist any more'
      : `the database has ${head.length} records, and its last writer is ${head.fence}`;
  const message = `Session ${session} changed without this writer: it left ${before.length} records, and ${found}. Another worker took the session over, or the database lost records that were not flushed. Nothing was written; open the session again.`;
  return new LogError('log/moved', message, { session, length: before.length });
}

/** Returns the size of each line in bytes, newline included. */
function sizesOf({ lines, records }: EncodedRecords): readonly number[] {
  if (records.length === 1) return [lines.length];
  const sizes: number[] = [];
  for (let at = 0; at < lines.length;) {
    const end = lines.indexOf(0x0a, at) + 1;
    sizes.push(end - at);
    at = end;
  }
  return sizes;
}
