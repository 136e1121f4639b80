// Artifacts in memory, by digest.

import { LogError, digest as mintDigest } from '@tidemark/log';
import type { Artifacts, Digest } from '@tidemark/log';
import { nodeBytes } from './node-bytes.ts';

/** Artifacts that are kept in this map. */
export function createArtifacts(kept: Map<string, Uint8Array>): Artifacts {
  return {
    async put(bytes) {
      const whole = bytes instanceof Uint8Array ? new Uint8Array(bytes) : await gather(bytes);
      const digest = mintDigest(nodeBytes.sha256([whole]));
      kept.set(digest, whole);
      return { digest, size: whole.length };
    },
    async *get(digest) {
      const whole = kept.get(digest);
      if (whole === undefined) throw missing(digest);
      if (nodeBytes.sha256([whole]) !== digest) throw broken(digest);
      yield new Uint8Array(whole);
    },
    has: async (digest) => kept.has(digest),
  };
}

async function gather(bytes: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  for await (const piece of bytes) pieces.push(new Uint8Array(piece));
  return Buffer.concat(pieces);
}

function missing(digest: Digest): LogError {
  return new LogError(
    'artifact/missing',
    `Artifact ${digest} is not here; it was removed, or its store is another one.`,
    { digest },
  );
}

function broken(digest: Digest): LogError {
  return new LogError(
    'artifact/damaged',
    `Artifact ${digest} no longer has the bytes that were put; it cannot be used.`,
    { digest },
  );
}
