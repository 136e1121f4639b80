// The memory store under the contract of the port.

import type { SessionId } from '@tidemark/log';
import type { LogUnderTest } from '@tidemark/log/contract';
import { describeLogContract } from '@tidemark/log/contract';
import type { MemoryBackend, SessionData } from './memory-backend.ts';
import { bytesOf, createRoom, createShelf } from './memory-backend.ts';
import { createMemoryStore } from './store.ts';

describeLogContract('the memory store', async () => underTest(createShelf()));

function underTest(shelf: MemoryBackend): LogUnderTest {
  const room = (session: SessionId): SessionData => shelf.rooms.get(session) ?? createRoom(session, undefined);
  return {
    log: createMemoryStore(shelf),
    reopen: () => createMemoryStore(shelf),
    lines: {
      read: async (session) => new Uint8Array(bytesOf(room(session))),
      async write(session, bytes) {
        const there = room(session);
        there.bytes = new Uint8Array(bytes);
        there.length = bytes.length;
      },
    },
    async damageArtifact(digest) {
      const bytes = shelf.artifacts.get(digest);
      if (bytes !== undefined) bytes[0] = (bytes[0] ?? 0) ^ 1;
    },
    async damageSnapshot(session) {
      const { snapshot } = room(session);
      if (snapshot !== undefined) snapshot[snapshot.length - 1] = (snapshot.at(-1) ?? 0) ^ 1;
    },
    async removeSession(session) {
      shelf.rooms.delete(session);
    },
    dispose: async () => undefined,
  };
}
