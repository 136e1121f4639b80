// Runs the contract tests of the Log port on the memory store.

import type { SessionId } from '@tidemark/log';
import type { LogUnderTest } from '@tidemark/log/contract';
import { describeLogContract } from '@tidemark/log/contract';
import type { MemoryBackend, SessionData } from './memory-backend.ts';
import { bytesOf, createSessionData, createMemoryBackend } from './memory-backend.ts';
import { createMemoryStore } from './store.ts';

describeLogContract('the memory store', async () => underTest(createMemoryBackend()));

function underTest(backend: MemoryBackend): LogUnderTest {
  const data = (session: SessionId): SessionData =>
    backend.sessions.get(session) ?? createSessionData(session, undefined);
  return {
    log: createMemoryStore(backend),
    reopen: () => createMemoryStore(backend),
    lines: {
      read: async (session) => new Uint8Array(bytesOf(data(session))),
      async write(session, bytes) {
        const there = data(session);
        there.bytes = new Uint8Array(bytes);
        there.length = bytes.length;
      },
    },
    async damageArtifact(digest) {
      const bytes = backend.artifacts.get(digest);
      if (bytes !== undefined) bytes[0] = (bytes[0] ?? 0) ^ 1;
    },
    async damageSnapshot(session) {
      const { snapshot } = data(session);
      if (snapshot !== undefined) snapshot[snapshot.length - 1] = (snapshot.at(-1) ?? 0) ^ 1;
    },
    async removeSession(session) {
      backend.sessions.delete(session);
    },
    dispose: async () => undefined,
  };
}
