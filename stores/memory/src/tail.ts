// Following a room as it grows.

import { EMPTY_TIP, readLineage } from '@tidemark/log';
import type { AbortSignalLike, Recorded, SessionId } from '@tidemark/log';
import { begin, drain, lineage, readRoom, readerOf, roomOf } from './read.ts';
import type { SessionData, MemoryBackend } from './memory-backend.ts';

/** Own and inherited records in batches, then new ones as they come, until the signal aborts. */
export async function* tailRoom(
  shelf: MemoryBackend,
  session: SessionId,
  from: number,
  signal: AbortSignalLike,
): AsyncGenerator<readonly Recorded[]> {
  const room = roomOf(shelf, session);
  const { start } = begin(shelf, session);
  const origins = await lineage(shelf, session);
  yield* readLineage(origins, from, start, (name, first, end) => readRoom(shelf, name, first, end));
  const reader = readerOf(room, { ...EMPTY_TIP, length: start }, from, Infinity);
  for (let at = 0; !signal.aborted;) {
    const end = room.length;
    yield* drain(reader, room.bytes.subarray(at, end));
    at = end;
    if (room.length === at) await growth(room, signal);
  }
}

function growth(room: SessionData, signal: AbortSignalLike): Promise<void> {
  return new Promise((resolve) => {
    const wake = (): void => {
      room.listeners.delete(wake);
      signal.removeEventListener('abort', wake);
      resolve();
    };
    room.listeners.add(wake);
    signal.addEventListener('abort', wake);
    if (signal.aborted) wake();
  });
}
