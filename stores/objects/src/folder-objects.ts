// Objects as files in a folder. An object is written under a temporary name, flushed and renamed, so a file with the
// name of its key is always complete.

import type { FileHandle } from 'node:fs/promises';
import { readdir, rm, stat, unlink } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import type { Folders } from '@tidemark/files';
import { createFolders, openRegularFile, writeAtomically } from '@tidemark/files';
import type { ObjectAccess } from './object-errors.ts';
import { reasonOf, refusedError } from './object-errors.ts';
import type { ObjectEntry, ObjectFile, ObjectStore } from './object-store.ts';
import { checkKey, checkPrefix, isKey } from './object-store.ts';

/** Age from which the temporary file of a killed process is removed, in milliseconds. */
const TEMPORARY_LIFE = 24 * 3_600_000;

/**
 * Opens a folder as an object storage. The first `put` makes the folder. Files have the mode 0600 and folders 0700.
 *
 * Several processes of one machine can use the folder at the same time. It can be on a network file system if all
 * machines mount it with the same consistency as a local disk.
 */
export function openFolderObjects(folder: string): ObjectStore {
  const root = resolve(folder);
  const at: FolderPlace = { root, place: `folder ${root}`, folders: createFolders(root) };
  return {
    place: at.place,
    put: (key, bytes) => orRefuse(at, 'write', put(at, checkKey(key), bytes)),
    copy: (from, to) => orRefuse(at, 'write', copy(at, checkKey(from), checkKey(to))),
    get: (key) => get(at, checkKey(key)),
    stat: (key) => orRefuse(at, 'read', statOf(at, checkKey(key))),
    list: (prefix) => list(at, checkPrefix(prefix)),
    remove: (key) => orRefuse(at, 'write', remove(at, checkKey(key))),
    tidy: () => orRefuse(at, 'write', tidy(at.root)),
    close: () => undefined,
  };
}

interface FolderPlace {
  readonly root: string;
  readonly place: string;
  readonly folders: Folders;
}

/** Returns the result of the work, and throws a `LogError` for an error of the system. */
async function orRefuse<T>({ place }: FolderPlace, access: ObjectAccess, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (cause) {
    throw refusedError(place, access, reasonOf(cause), cause);
  }
}

function put(at: FolderPlace, key: string, bytes: Uint8Array | ObjectFile): Promise<void> {
  return write(at, key, (handle) =>
    bytes instanceof Uint8Array ? handle.writeFile(bytes) : fill(handle, bytes.read()),
  );
}

async function copy(at: FolderPlace, from: string, to: string): Promise<boolean> {
  const source = await openRegularFile(join(at.root, from)).catch(unlessGone);
  if (source === undefined) return false;
  await write(at, to, (handle) => fill(handle, source.createReadStream()));
  return true;
}

/** Writes a file whole or not at all, and flushes it and the folders above it. */
async function write(at: FolderPlace, key: string, content: (handle: FileHandle) => Promise<void>): Promise<void> {
  const path = join(at.root, key);
  const folder = dirname(path);
  await at.folders.make(folder);
  await writeAtomically(folder, async (handle) => {
    await content(handle);
    return path;
  });
  await at.folders.flush(folder);
}

/** Writes a stream to a file. A stream of the handle itself would keep the handle open. */
async function fill(handle: FileHandle, bytes: AsyncIterable<unknown>): Promise<void> {
  for await (const piece of bytes) if (piece instanceof Uint8Array) await handle.writeFile(piece);
}

async function get(at: FolderPlace, key: string): Promise<AsyncIterable<Uint8Array> | undefined> {
  const handle = await orRefuse(at, 'read', openRegularFile(join(at.root, key)).catch(unlessGone));
  return handle === undefined ? undefined : chunksOf(at, handle.createReadStream());
}

async function* chunksOf({ place }: FolderPlace, source: AsyncIterable<unknown>): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of source) if (chunk instanceof Uint8Array) yield chunk;
  } catch (cause) {
    throw refusedError(place, 'read', reasonOf(cause), cause);
  }
}

async function statOf({ root }: FolderPlace, key: string): Promise<ObjectEntry | undefined> {
  const stats = await stat(join(root, key)).catch(unlessGone);
  return stats?.isFile() === true ? { key, size: stats.size, changedAt: stats.mtimeMs } : undefined;
}

async function* list(at: FolderPlace, prefix: string): AsyncGenerator<ObjectEntry> {
  const entries = await orRefuse(at, 'read', readdir(join(at.root, prefix), { withFileTypes: true }).catch(unlessGone));
  for (const entry of entries ?? []) {
    const key = `${prefix}${entry.name}`;
    if (!isKey(key)) continue;
    if (entry.isDirectory()) yield* list(at, `${key}/`);
    const found = await orRefuse(at, 'read', statOf(at, key));
    if (found !== undefined) yield found;
  }
}

/** Removes the temporary files of killed processes. A younger file may belong to a `put` that is running. */
async function tidy(root: string): Promise<void> {
  for (const name of (await readdir(root, { recursive: true }).catch(unlessGone)) ?? []) {
    if (!basename(name).startsWith('.')) continue;
    const stats = await stat(join(root, name)).catch(unlessGone);
    const isLeft = stats?.isFile() === true && stats.mtimeMs < Date.now() - TEMPORARY_LIFE;
    if (isLeft) await rm(join(root, name), { force: true });
  }
}

async function remove({ root }: FolderPlace, key: string): Promise<void> {
  await unlink(join(root, key)).catch(unlessGone);
}

/** Returns `undefined` for the errors of a path that does not exist. Throws any other error. For use in `catch`. */
function unlessGone(error: unknown): undefined {
  if (!['ENOENT', 'ENOTDIR'].includes(reasonOf(error))) throw error;
  return undefined;
}
