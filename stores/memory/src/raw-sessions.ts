// Implements the raw part of the Log port on a backend: the bytes of sessions, for moving them.

import { nodeBytes } from '@tidemark/files';
import type { LockedSession, LineRange, Parent, RawLines, ReceivedSession, SessionId } from '@tidemark/log';
import { LogError, isSameParent, otherParent, readLines, receiveSession } from '@tidemark/log';
import type { MemoryBackend, SessionData } from './memory-backend.ts';
import { bytesOf, createSessionData, extend } from './memory-backend.ts';
import { begin, isBegun, sessionDataOf } from './read.ts';

/** Takes the lock of a session to copy its records. */
export async function holdSession(backend: MemoryBackend, session: SessionId): Promise<LockedSession> {
  const data = sessionDataOf(backend, session);
  const { start, record } = begin(backend, session);
  const { parent } = record.data;
  const release = lock(data);
  return {
    session,
    parent,
    start,
    lines: (from = start) => linesOf(data, { path: session, parent, from }),
    async remove() {
      backend.sessions.delete(session);
      backend.undo.delete(session);
    },
    close: async () => release(),
  };
}

/** Marks a session as held by a writer, and returns the function that releases it. */
function lock(data: SessionData): () => void {
  if (data.held) throw lockedError(data.session);
  data.held = true;
  return () => {
    data.held = false;
  };
}

export function lockedError(session: SessionId): LogError {
  return new LogError('log/locked', `Session ${session} is being written by another writer; close that writer first.`, {
    session,
  });
}

async function* linesOf(data: SessionData, range: LineRange): AsyncGenerator<RawLines> {
  yield* readLines(piecesOf(data), range, nodeBytes);
}

const PIECE = 65_536;

async function* piecesOf(data: SessionData): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < data.length; at += PIECE) yield data.bytes.subarray(at, Math.min(at + PIECE, data.length));
}

/** Takes the lock of a session to receive its records. The caller has checked the parent. */
export async function receiveInto(
  backend: MemoryBackend,
  session: SessionId,
  parent: Parent | undefined,
): Promise<ReceivedSession> {
  const there = backend.sessions.get(session);
  const isComplete = there !== undefined && isBegun(there);
  if (isComplete && !isSameParent(begin(backend, session).record.data.parent, parent)) throw otherParent(session);
  // The lock of a session that does not exist yet is that of its empty data, as for `create`.
  const target = there ?? createSessionData(session, parent);
  const release = lock(target);
  backend.sessions.set(session, target);
  const data = isComplete ? target : (backend.incoming.get(session) ?? createSessionData(session, parent));
  if (!isComplete) backend.incoming.set(session, data);
  return receiveSession(
    { session, parent },
    {
      path: session,
      isComplete,
      pieces: () => piecesOf(data),
      cut: async (_, offset) => {
        data.length = offset;
      },
      write: async ({ bytes }) => extend(data, bytes),
      async finish() {
        if (data === target || !backend.incoming.delete(session)) return;
        extend(target, bytesOf(data));
      },
      release: async () => release(),
    },
    nodeBytes,
  );
}
