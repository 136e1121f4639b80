// The single snapshot of each session in an object storage.

import type { SessionId } from '@tidemark/log';
import type { ObjectStore } from './object-store.ts';

/** Bytes of the snapshot of each session. The bytes contain their own check (`encodeSnapshot` of `packages/log`). */
export interface SnapshotBytes {
  /**
   * Returns the bytes that were stored last. Returns `undefined` if there are none, if they are larger than 512 MiB, or
   * if the storage does not answer, because a snapshot only makes reading faster (L9).
   */
  get(session: SessionId): Promise<Uint8Array | undefined>;
  /**
   * Replaces the bytes, whole or not at all.
   *
   * @throws LogError `artifact/write-failed` when the storage refuses, `artifact/unreachable` when it does not answer.
   */
  put(session: SessionId, bytes: Uint8Array): Promise<void>;
  /**
   * Removes the bytes, for example together with their session. Does nothing if there are none.
   *
   * @throws LogError as `put` does.
   */
  remove(session: SessionId): Promise<void>;
}

/** Largest snapshot that is read, in bytes. */
const MAX_SNAPSHOT = 512 * 1_024 * 1_024;

/** Returns the snapshots of an object storage. Keys: `snapshots/<session>`. */
export function createObjectSnapshots(objects: ObjectStore): SnapshotBytes {
  return {
    get: (session) => readObject(objects, keyOf(session), MAX_SNAPSHOT).catch(() => undefined),
    put: (session, bytes) => objects.put(keyOf(session), bytes),
    remove: (session) => objects.remove(keyOf(session)),
  };
}

function keyOf(session: SessionId): string {
  return `snapshots/${session}`;
}

/**
 * Returns the bytes of an object. Returns `undefined` if there is no object, or if it has more than `most` bytes.
 *
 * @throws LogError as `ObjectStore.get` does.
 */
export async function readObject(objects: ObjectStore, key: string, most: number): Promise<Uint8Array | undefined> {
  const bytes = await objects.get(key);
  if (bytes === undefined) return undefined;
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of bytes) {
    size += piece.length;
    if (size > most) return undefined;
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}
