// Artifacts in an object storage. The keys and the bytes are those of the folder `artifacts` of a home, so one can be
// copied to the other.

import { createHash } from 'node:crypto';
import { tmpdir } from 'node:os';
import { pipeline } from 'node:stream';
import { createZstdDecompress } from 'node:zlib';
import type { Artifacts, Digest } from '@tidemark/log';
import { LogError } from '@tidemark/log';
import { artifactKeys, removedKey } from './artifact-keys.ts';
import { reasonOf, refusedError } from './object-errors.ts';
import type { ObjectStore } from './object-store.ts';
import type { Spooled } from './spool.ts';
import { SourceFailure, spoolBytes, spoolStream } from './spool.ts';

/**
 * Returns the artifacts of an object storage.
 *
 * `put` always sends the bytes, also if the storage has them. This repairs damaged bytes and sets the time of the object
 * to now, so `collectObjects` keeps it until a record names it. Reading and copying an object for the same effect would
 * take more requests. `get` and `has` also find an artifact that a collection has set aside.
 */
export function createObjectArtifacts(objects: ObjectStore): Artifacts {
  return {
    put: (bytes) => (bytes instanceof Uint8Array ? putWhole(objects, bytes) : putStream(objects, bytes)),
    get: (digest) => get(objects, digest),
    has: async (digest) => {
      for (const key of keysOf(digest)) if ((await objects.stat(key)) !== undefined) return true;
      return false;
    },
  };
}

/**
 * Returns all keys at which an artifact can be found, in the order of the search. The first keys come again at the end,
 * because a collection may restore the artifact during the search.
 */
function keysOf(digest: Digest): readonly string[] {
  const { plain, packed } = artifactKeys(digest);
  return [packed, plain, removedKey(packed), removedKey(plain), packed, plain];
}

interface StoredArtifact {
  readonly digest: Digest;
  readonly size: number;
}

async function putWhole(objects: ObjectStore, bytes: Uint8Array): Promise<StoredArtifact> {
  const spooled = await spoolBytes(bytes);
  await send(objects, spooled);
  return { digest: spooled.digest, size: spooled.size };
}

async function putStream(objects: ObjectStore, bytes: AsyncIterable<Uint8Array>): Promise<StoredArtifact> {
  try {
    const { digest, size } = await spoolStream(bytes, (spooled) => send(objects, spooled));
    return { digest, size };
  } catch (error) {
    if (error instanceof SourceFailure) throw error.cause;
    if (error instanceof LogError) throw error;
    throw refusedError(`the temporary folder ${tmpdir()}`, 'write', reasonOf(error), error);
  }
}

async function send(objects: ObjectStore, { digest, isPacked, content }: Spooled): Promise<void> {
  const { plain, packed } = artifactKeys(digest);
  await objects.put(isPacked ? packed : plain, content);
}

async function* get(objects: ObjectStore, digest: Digest): AsyncGenerator<Uint8Array> {
  const { packed, bytes } = await open(objects, digest);
  const hash = createHash('sha256');
  try {
    for await (const piece of packed ? unpack(bytes) : bytes) {
      hash.update(piece);
      yield piece;
    }
  } catch (error) {
    throw error instanceof LogError ? error : damageError(objects, digest, error);
  }
  if (hash.digest('hex') !== digest) throw damageError(objects, digest);
}

interface OpenArtifact {
  readonly packed: boolean;
  readonly bytes: AsyncIterable<Uint8Array>;
}

async function open(objects: ObjectStore, digest: Digest): Promise<OpenArtifact> {
  for (const key of keysOf(digest)) {
    const bytes = await objects.get(key);
    if (bytes !== undefined) return { packed: key.endsWith('.zst'), bytes };
  }
  const message = `Artifact ${digest} does not exist in ${objects.place}; it was removed, or it belongs to another storage.`;
  throw new LogError('artifact/missing', message, { digest, place: objects.place });
}

/** Unpacks a stream. The callback form of `pipeline` passes errors on and closes both streams when reading stops. */
function unpack(bytes: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  return pipeline(bytes, createZstdDecompress(), () => undefined);
}

function damageError(objects: ObjectStore, digest: Digest, cause?: unknown): LogError {
  const message = `The bytes of the artifact ${digest} in ${objects.place} do not match its digest, so it cannot be used. Storing the same bytes again repairs it.`;
  return new LogError('artifact/damaged', message, { digest, place: objects.place }, cause);
}
