// Keeps the bytes of files before tools changed them, in memory.

import { nodeBytes } from '@tidemark/files';
import type { Digest, SessionId, UndoStore } from '@tidemark/log';
import { digest as mintDigest } from '@tidemark/log';
import type { MemoryBackend } from './memory-backend.ts';

import { lineage } from './read.ts';

/** Maximum size of one file and of all files of a session, in bytes. */
const LARGEST = 8 * 1_024 * 1_024;
const MOST = 64 * 1_024 * 1_024;

/** Returns the undo store of a backend. */
export function createUndo(backend: MemoryBackend): UndoStore {
  return {
    largest: LARGEST,
    async keep(session, bytes) {
      if (bytes.length > LARGEST) return undefined;
      const digest = mintDigest(nodeBytes.sha256([bytes]));
      const kept = backend.undo.get(session) ?? new Map<Digest, Uint8Array>();
      backend.undo.set(session, kept);
      kept.delete(digest);
      kept.set(digest, Uint8Array.from(bytes));
      removeOldest(kept);
      return digest;
    },
    get: (session, digest) => get(backend, session, digest),
  };
}

function removeOldest(kept: Map<Digest, Uint8Array>): void {
  let size = [...kept.values()].reduce((sum, { length }) => sum + length, 0);
  for (const [digest, { length }] of kept) {
    if (size <= MOST) return;
    kept.delete(digest);
    size -= length;
  }
}

async function get(backend: MemoryBackend, session: SessionId, digest: Digest): Promise<Uint8Array | undefined> {
  const { segments } = await lineage(backend, session);
  for (const segment of segments.toReversed()) {
    const bytes = backend.undo.get(segment.session)?.get(digest);
    if (bytes !== undefined) return Uint8Array.from(bytes);
  }
  return undefined;
}
