// Copies the memory store of a lost process, without the lock that the process held.

import type { MemoryBackend } from '@tidemark/store-memory';

/**
 * Returns a copy of a memory store with the same content and no lock. Later writes of the lost process do not reach the
 * copy.
 */
export function copyWithoutLocks(shelf: MemoryBackend): MemoryBackend {
  const left: MemoryBackend = { ...shelf, sessions: new Map(), artifacts: new Map(shelf.artifacts) };
  for (const [name, room] of shelf.sessions) {
    left.sessions.set(name, { ...room, bytes: room.bytes.slice(), held: false, listeners: new Set() });
  }
  return left;
}
