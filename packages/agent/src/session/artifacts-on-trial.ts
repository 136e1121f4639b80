// Artifacts for a request that is drafted on trial: the artifacts of the session can be read, and nothing is stored.

import { createHash } from 'node:crypto';
import type { Artifacts, Digest } from '@tidemark/log';
import { digest } from '@tidemark/log';

/** Returns artifacts to which new bytes are added in memory only. */
export function artifactsInMemory(stored: Artifacts): Artifacts {
  const added = new Map<Digest, Uint8Array>();
  const { put } = readOnlyArtifacts(stored);
  return {
    async put(bytes) {
      const chunks: Uint8Array[] = [];
      for await (const chunk of bytes instanceof Uint8Array ? [bytes] : bytes) chunks.push(chunk);
      const whole = Buffer.concat(chunks);
      const named = await put(whole);
      added.set(named.digest, whole);
      return named;
    },
    get(name) {
      const bytes = added.get(name);
      return bytes === undefined ? stored.get(name) : oneChunk(bytes);
    },
    has: async (name) => added.has(name) || stored.has(name),
  };
}

async function* oneChunk(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

/** Returns artifacts that can only be read. `put` returns the digest of the bytes and stores nothing. */
export function readOnlyArtifacts(artifacts: Artifacts): Artifacts {
  return {
    async put(bytes) {
      const hash = createHash('sha256');
      let size = 0;
      for await (const chunk of bytes instanceof Uint8Array ? [bytes] : bytes) {
        hash.update(chunk);
        size += chunk.length;
      }
      return { digest: digest(hash.digest('hex')), size };
    },
    get: (name) => artifacts.get(name),
    has: (name) => artifacts.has(name),
  };
}
