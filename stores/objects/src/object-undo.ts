// Keeps the bytes of files before tools changed them, in an object storage, next to each other for one session.

import { createHash } from 'node:crypto';
import type { Digest, SessionId, UndoStore } from '@tidemark/log';
import { digest as mintDigest } from '@tidemark/log';
import { readObject } from './object-snapshots.ts';
import type { ObjectEntry, ObjectStore } from './object-store.ts';

const MIB = 1_024 * 1_024;
/** Maximum size of one file, in bytes. */
const LARGEST = 8 * MIB;
/** Maximum size of all files of one session, in bytes. */
const ROOM = 64 * MIB;
/** Size from which a file counts as large. */
const LARGE = ROOM / 64;
/** Number of the last keys whose order is remembered. */
const REMEMBERED = 1_024;

/** Undo store of an object storage. */
export interface ObjectUndoStore extends UndoStore {
  /**
   * Removes all bytes of a session, for example together with the session.
   *
   * @throws LogError as `ObjectStore.remove` does.
   */
  remove(session: SessionId): Promise<void>;
}

/**
 * Returns the undo store of an object storage. Keys: `undo/<session>/<digest>`. The limits are those of the NDJSON
 * store: 8 MiB for each file and 64 MiB for each session. `keep` takes two requests: one `put` and one `list`.
 *
 * @param ancestors Returns the sessions from which a session comes by forks, nearest first, without the session itself.
 */
export function createObjectUndo(
  objects: ObjectStore,
  ancestors: (session: SessionId) => Promise<readonly SessionId[]>,
): ObjectUndoStore {
  // S3 reports whole seconds. The order of keys of the same second is remembered here.
  const order: string[] = [];
  return {
    largest: LARGEST,
    async keep(session, bytes) {
      if (bytes.length > LARGEST) return undefined;
      const digest = hashOf(bytes);
      const key = `${prefixOf(session)}${digest}`;
      await objects.put(key, bytes);
      order.push(key);
      order.splice(0, order.length - REMEMBERED);
      await removeOldest(objects, session, { newest: key, order });
      return digest;
    },
    async get(session, digest) {
      const own = await find(objects, session, digest);
      if (own !== undefined) return own;
      for (const ancestor of await ancestors(session)) {
        const found = await find(objects, ancestor, digest);
        if (found !== undefined) return found;
      }
      return undefined;
    },
    async remove(session) {
      for await (const { key } of objects.list(prefixOf(session))) await objects.remove(key);
    },
  };
}

function prefixOf(session: SessionId): string {
  return `undo/${session}/`;
}

/** Returns the bytes that a session itself kept, or `undefined` if they are missing, damaged or not readable now. */
async function find(objects: ObjectStore, session: SessionId, digest: Digest): Promise<Uint8Array | undefined> {
  const bytes = await readObject(objects, `${prefixOf(session)}${digest}`, LARGEST).catch(() => undefined);
  return bytes !== undefined && hashOf(bytes) === digest ? bytes : undefined;
}

/**
 * Removes files until the rest fits: first large files, then the others, oldest first. Otherwise a few generated files
 * would remove all source files. The newest file stays.
 */
async function removeOldest(
  objects: ObjectStore,
  session: SessionId,
  { newest, order }: { readonly newest: string; readonly order: readonly string[] },
): Promise<void> {
  const files: ObjectEntry[] = [];
  for await (const file of objects.list(prefixOf(session))) files.push(file);
  let size = files.reduce((sum, file) => sum + file.size, 0);
  if (size <= ROOM) return;
  const rank = (file: ObjectEntry): number => (file.size >= LARGE ? 0 : 1);
  const second = (file: ObjectEntry): number => Math.floor(file.changedAt / 1_000);
  const place = (file: ObjectEntry): number => order.lastIndexOf(file.key);
  files.sort((a, b) => rank(a) - rank(b) || second(a) - second(b) || place(a) - place(b) || a.changedAt - b.changedAt);
  for (const file of files) {
    if (size <= ROOM) return;
    if (file.key === newest) continue;
    await objects.remove(file.key);
    size -= file.size;
  }
}

function hashOf(bytes: Uint8Array): Digest {
  return mintDigest(createHash('sha256').update(bytes).digest('hex'));
}
