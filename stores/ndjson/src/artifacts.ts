// Bytes outside the log, by digest: streamed in beside their place, flushed, and renamed before a record names them.

import type { Hash } from 'node:crypto';
import { createHash, randomUUID } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { access, open, rename, rm, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline as pipelineOf } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { createZstdCompress, createZstdDecompress, zstdCompress } from 'node:zlib';
import { openRegularFile, readRegularFile } from '@tidemark/files';
import type { Artifacts, Digest } from '@tidemark/log';
import { LogError, digest as mintDigest } from '@tidemark/log';
import type { Folders } from './durable-folder.ts';
import { isGone, isOfSystem, unlessGone } from './file-port.ts';
import type { HomePaths } from './home.ts';
import { artifactPaths } from './home.ts';

/** Larger ones are packed. */
const PLAIN_LIMIT = 4_096;

/** Largest that is read as it stands; a sound one that is larger is packed. */
const MOST_PLAIN = 16 * 1_024 * 1_024;

const pack = promisify(zstdCompress);

/** The artifacts of a home. */
export function createArtifacts(paths: HomePaths, folders: Folders): Artifacts {
  return {
    put: (bytes) => (bytes instanceof Uint8Array ? putWhole(paths, folders, bytes) : put(paths, folders, bytes)),
    get: (digest) => get(paths, digest),
    has: (digest) => has(paths, digest),
  };
}

/** What is there already, as a session's tools are from the second one on, is not written again. */
async function putWhole(paths: HomePaths, folders: Folders, bytes: Uint8Array): Promise<PutArtifact> {
  const digest = mintDigest(createHash('sha256').update(bytes).digest('hex'));
  const { folder, plain, packed } = artifactPaths(paths, digest);
  const place = bytes.length > PLAIN_LIMIT ? packed : plain;
  try {
    await folders.make(folder);
    if (!(await isKept(paths, digest, place))) {
      const written = place === packed ? await pack(bytes) : bytes;
      await writeAtomically(paths.artifacts, async (handle) => {
        await handle.writeFile(written);
        return place;
      });
    }
    await folders.flush(folder);
  } catch (cause) {
    throw writeFailed(paths, cause);
  }
  return { digest, size: bytes.length };
}

/** Bytes whose name is known when the last of them has passed. */
async function put(paths: HomePaths, folders: Folders, bytes: AsyncIterable<Uint8Array>): Promise<PutArtifact> {
  const tally: Tally = { hash: createHash('sha256'), size: 0, sourceFailed: false };
  try {
    const digest = await write(paths, folders, bytes, tally);
    await folders.flush(artifactPaths(paths, digest).folder);
    return { digest, size: tally.size };
  } catch (cause) {
    throw tally.sourceFailed ? cause : writeFailed(paths, cause);
  }
}

async function write(
  paths: HomePaths,
  folders: Folders,
  bytes: AsyncIterable<Uint8Array>,
  tally: Tally,
): Promise<Digest> {
  await folders.make(paths.artifacts);
  const name = (): Digest => mintDigest(tally.hash.copy().digest('hex'));
  await writeAtomically(paths.artifacts, async (handle) => {
    const isPacked = await fillPacked(handle, countBytes(bytes, tally), tally);
    const { folder, plain, packed } = artifactPaths(paths, name());
    const place = isPacked ? packed : plain;
    await folders.make(folder);
    return (await isKept(paths, name(), place)) ? undefined : place;
  });
  return name();
}

/** What `put` tells. */
interface PutArtifact {
  readonly digest: Digest;
  readonly size: number;
}

interface Tally {
  readonly hash: Hash;
  size: number;
  sourceFailed: boolean;
}

/** The caller's bytes, counted as they pass; what fails in there is the caller's own error. */
async function* countBytes(bytes: AsyncIterable<Uint8Array>, tally: Tally): AsyncGenerator<Uint8Array> {
  tally.sourceFailed = true;
  for await (const piece of bytes) {
    tally.sourceFailed = false;
    tally.hash.update(piece);
    tally.size += piece.length;
    yield piece;
    tally.sourceFailed = true;
  }
  tally.sourceFailed = false;
}

/** Writes the bytes, packed if they are many; whether they were. */
async function fillPacked(handle: FileHandle, bytes: AsyncGenerator<Uint8Array>, tally: Tally): Promise<boolean> {
  const head: Uint8Array[] = [];
  while (tally.size <= PLAIN_LIMIT) {
    const next = await bytes.next();
    if (next.done === true) {
      for (const piece of head) await handle.writeFile(piece);
      return false;
    }
    head.push(new Uint8Array(next.value));
  }
  await pipeline(whole(head, bytes), createZstdCompress(), async (packed: AsyncIterable<Uint8Array>) => {
    for await (const piece of packed) await handle.writeFile(piece);
  });
  return true;
}

async function* whole(head: readonly Uint8Array[], rest: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield* head;
  yield* rest;
}

/**
 * Whether sound bytes stand at this place; damaged ones are written again. Renewed first, as young as if they were written
 * now: a garbage collection that began meanwhile leaves them until a record can name them.
 */
async function isKept(paths: HomePaths, digest: Digest, place: string): Promise<boolean> {
  const now = new Date();
  if ((await utimes(place, now, now).then(yes, unlessGone)) !== true) return false;
  try {
    for await (const piece of get(paths, digest)) if (piece.length === 0) continue;
    return true;
  } catch (error) {
    if (error instanceof LogError) return false;
    throw error;
  }
}

function yes(): true {
  return true;
}

async function* get(paths: HomePaths, digest: Digest): AsyncGenerator<Uint8Array> {
  const { plain, packed } = artifactPaths(paths, digest);
  const hash = createHash('sha256');
  let path = plain;
  try {
    // What is not packed is small: a stream would cost more than its bytes.
    const small = await readRegularFile(plain, { most: MOST_PLAIN }).catch(unlessGone);
    if (small === undefined) path = packed;
    for await (const piece of small === undefined ? await unpackFile(packed) : [small]) {
      hash.update(piece);
      yield piece;
    }
  } catch (cause) {
    if (isGone(cause)) throw missing(paths, digest);
    // A disk that fails, or too many open files, say nothing of the bytes.
    throw isOfSystem(cause) ? cause : damageError(path, digest, cause);
  }
  if (hash.digest('hex') !== digest) throw damageError(path, digest);
}

async function has(paths: HomePaths, digest: Digest): Promise<boolean> {
  const { plain, packed } = artifactPaths(paths, digest);
  return (await exists(plain)) || exists(packed);
}

function exists(path: string): Promise<boolean> {
  return access(path).then(yes, () => false);
}

async function unpackFile(path: string): Promise<AsyncIterable<Uint8Array>> {
  const handle = await openRegularFile(path);
  // The callback form hands the streams' errors to whoever reads the last one, and closes both when it stops.
  return pipelineOf(handle.createReadStream(), createZstdDecompress(), () => undefined);
}

function writeFailed(paths: HomePaths, cause: unknown): LogError {
  const why = isOfSystem(cause) ? ` (${cause.message})` : '';
  const message = `An artifact could not be written under ${paths.artifacts}${why}. Nothing names it yet; see to the disk and the limit of open files, then try again.`;
  return new LogError('artifact/write-failed', message, { path: paths.artifacts }, cause);
}

function missing(paths: HomePaths, digest: Digest): LogError {
  const { plain } = artifactPaths(paths, digest);
  return new LogError(
    'artifact/missing',
    `Artifact ${digest} is not here (${plain}); it was removed, or belongs to another home.`,
    { digest, path: plain },
  );
}

function damageError(path: string, digest: Digest, cause?: unknown): LogError {
  const message = `${path} no longer has the bytes whose digest is its name, and cannot be used. Putting the same bytes again mends it.`;
  return new LogError('artifact/damaged', message, { digest, path }, cause);
}

/**
 * Writes a new file in `folder` by `fill` under a temporary name, flushes it, then gives it the name that `fill` returned; no file is
 * left where `fill` returns none. So a file is there whole or not at all.
 */
export async function writeAtomically(
  folder: string,
  fill: (handle: FileHandle) => Promise<string | undefined>,
): Promise<void> {
  const temporary = join(folder, `.incoming-${randomUUID()}`);
  try {
    const name = await fillFile(temporary, fill);
    if (name !== undefined) return await rename(temporary, name);
    await rm(temporary, { force: true });
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => undefined);
    throw error;
  }
}

async function fillFile(
  path: string,
  fill: (handle: FileHandle) => Promise<string | undefined>,
): Promise<string | undefined> {
  const handle = await open(path, 'wx', 0o600);
  try {
    const name = await fill(handle);
    if (name !== undefined) await handle.sync();
    return name;
  } finally {
    await handle.close();
  }
}
