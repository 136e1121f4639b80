// Implements the raw part of the Log port in PostgreSQL: the bytes of sessions, for moving them.

import { randomUUID } from 'node:crypto';

import { nodeBytes } from '@tidemark/files';
import type {
  CheckedLines,
  LockedSession,
  LineRange,
  Parent,
  RawLines,
  ReceivedSession,
  ReceiverStorage,
  SessionId,
  Tip,
} from '@tidemark/log';
import { CHAIN_START, isSameParent, otherParent, readLines, receiveSession } from '@tidemark/log';

import type { WrittenHead, WrittenSessions } from './open-writer.ts';
import { forkTip, isAt, locked, moved, storing, take } from './open-writer.ts';
import type { Head, TenantSessions } from './read-records.ts';
import { begin, piecesOf } from './read-records.ts';

/** Takes the lease of a session to copy its records. `forget` removes what the session has outside of the database. */
export async function holdSession(
  sessions: WrittenSessions,
  session: SessionId,
  forget: (session: SessionId) => Promise<void>,
): Promise<LockedSession> {
  const { start, record } = await begin(sessions, session);
  const { parent } = record.data;
  const { database, tenant, leases } = sessions;
  const { owner, length, fence } = await take(sessions, session);
  let isHeld = true;
  const close = async (): Promise<void> => {
    if (isHeld) await leave(sessions, session, owner);
    isHeld = false;
  };
  try {
    await storing(session, 'log/flush-failed', async () => {
      await database.call('flush_session', [tenant, session, fence, length, leases.duration]);
    });
  } catch (error) {
    await close();
    throw error;
  }
  return {
    session,
    parent,
    start,
    lines: (from = start) => linesOf(sessions, session, start, { path: session, parent, from }),
    async remove() {
      const removed = await database.call<{ remove_session: boolean }>('remove_session', [tenant, session, owner]);
      if (removed[0]?.remove_session !== true) throw moved(session, { length }, undefined);
      await forget(session);
    },
    close,
  };
}

async function leave({ database, tenant, leases }: WrittenSessions, session: SessionId, owner: string): Promise<void> {
  leases.drop(owner);
  // Without the database, the lease ends by itself.
  await database.call('leave_copy', [tenant, session, owner]).catch(() => undefined);
}

async function* linesOf(
  sessions: TenantSessions,
  session: SessionId,
  start: number,
  range: LineRange,
): AsyncGenerator<RawLines> {
  yield* readLines(bytesFrom(sessions, session, start), range, nodeBytes);
}

async function* bytesFrom(sessions: TenantSessions, session: SessionId, start: number): AsyncGenerator<Uint8Array> {
  for await (const { lines } of piecesOf(sessions, session, start, Infinity)) yield lines;
}

/** Copy whose lease was taken. */
interface TakenCopy extends Head {
  readonly outcome: 'taken' | 'locked';
  readonly fence: number;
}

/** Takes the lease of a session to receive its records. */
export async function receiveInto(
  sessions: WrittenSessions,
  session: SessionId,
  parent: Parent | undefined,
): Promise<ReceivedSession> {
  const { database, tenant, leases } = sessions;
  const { length: start, chain } =
    parent === undefined ? { length: 0, chain: CHAIN_START } : await forkTip(sessions, parent);
  const owner = randomUUID();
  const values = [tenant, session, owner, leases.duration, start, chain];
  const [taken] = await database.call<TakenCopy>('take_copy', values);
  if (taken?.outcome !== 'taken') throw locked(session);
  leases.keep(session, owner);
  const isComplete = taken.size > 0;
  try {
    if (isComplete && !isSameParent((await begin(sessions, session)).record.data.parent, parent)) {
      throw otherParent(session);
    }
  } catch (error) {
    await leave(sessions, session, owner);
    throw error;
  }
  const { fence } = taken;
  return receiveSession(
    { session, parent },
    storageOf(sessions, { session, start, fence, owner, isComplete }),
    nodeBytes,
  );
}

/** Head of a copy after a call, and whether the call was done. */
interface WrittenCopy extends WrittenHead {
  readonly done: boolean;
}

/** Session that receives records. */
interface LeasedCopy {
  readonly session: SessionId;
  readonly start: number;
  readonly fence: number;
  readonly owner: string;
  readonly isComplete: boolean;
}

function storageOf(sessions: WrittenSessions, copy: LeasedCopy): ReceiverStorage {
  const { database, tenant, leases, heads } = sessions;
  const { session, start, owner, isComplete } = copy;
  let { fence } = copy;
  let isVisible = isComplete;
  const write = ({ bytes, sizes, tip }: CheckedLines, before: Tip, offset: number): readonly unknown[] => {
    const head = [tenant, session, fence, before.length, tip.chain, leases.duration];
    return [...head, offset, sizes, Buffer.from(bytes)];
  };
  const call = async (name: 'receive_records' | 'finish_copy', values: readonly unknown[]): Promise<WrittenCopy> => {
    const [head] = await database.call<WrittenCopy>(name, values);
    if (head === undefined) throw moved(session, { length: start }, undefined);
    return head;
  };
  return {
    path: session,
    isComplete,
    pieces: () => bytesFrom(sessions, session, start),
    async cut(tip, offset) {
      const size = isVisible ? offset : 0;
      const values = [tenant, session, fence, tip.length, tip.chain, size];
      const [row] = await database.call<{ cut_records: boolean }>('cut_records', values);
      if (row?.cut_records !== true) throw moved(session, tip, undefined);
    },
    write: (added, before, offset) =>
      storing(session, 'log/write-failed', async () => {
        const head = await call('receive_records', write(added, before, offset));
        // A call that was repeated finds the records of its first try.
        if (!head.done && !isAt(head, added.tip, fence)) throw moved(session, before, head);
        if (isVisible) heads.learn(session);
      }),
    finish: (tip, offset) =>
      storing(session, 'log/flush-failed', async () => {
        const values = [tenant, session, owner, tip.length, offset, tip.fence, leases.duration];
        const head = await call('finish_copy', values);
        if (!head.done) throw moved(session, tip, head);
        ({ fence } = head);
        isVisible = true;
      }),
    release: () => leave(sessions, session, owner),
  };
}
