// What a process leaves in memory when it is lost: its bytes, and nobody who holds them.

import type { MemoryBackend } from '@tidemark/store-memory';

/** Another shelf with all that is on this one. What the lost process might still write never gets there. */
export function shelfLeftBehind(shelf: MemoryBackend): MemoryBackend {
  const left: MemoryBackend = { ...shelf, sessions: new Map(), artifacts: new Map(shelf.artifacts) };
  for (const [name, room] of shelf.sessions) {
    left.sessions.set(name, { ...room, bytes: room.bytes.slice(), held: false, listeners: new Set() });
  }
  return left;
}
