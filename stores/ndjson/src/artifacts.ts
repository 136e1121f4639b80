// Stores artifacts: bytes outside the log, named by their digest. The bytes are written to a temporary file, flushed,
// and renamed before any record refers to them.

import type { Hash } from 'node:crypto';
import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { access, utimes } from 'node:fs/promises';
import { pipeline as pipelineOf } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { createZstdCompress, createZstdDecompress, zstdCompress } from 'node:zlib';
import type { Folders } from '@tidemark/files';
import { openRegularFile, readRegularFile, writeAtomically } from '@tidemark/files';
import type { Artifacts, Digest } from '@tidemark/log';
import { LogError, digest as mintDigest } from '@tidemark/log';
import { isGone, isOfSystem, unlessGone } from './file-port.ts';
import type { HomePaths } from './home.ts';
import { artifactPaths } from './home.ts';

/** Size up to which an artifact is stored unpacked, in bytes. A larger artifact is compressed. */
const PLAIN_LIMIT = 4_096;

/** Largest file that is read as an unpacked artifact, in bytes. A sound artifact of a larger size is always packed. */
const MAX_UNPACKED = 16 * 1_024 * 1_024;

const pack = promisify(zstdCompress);

/** Returns the artifact store of a home. */
export function createArtifacts(paths: HomePaths, folders: Folders): Artifacts {
  return {
    put: (bytes) => (bytes instanceof Uint8Array ? putWhole(paths, folders, bytes) : put(paths, folders, bytes)),
    get: (digest) => get(paths, digest),
    has: (digest) => has(paths, digest),
  };
}

/**
 * Stores bytes that are completely in memory. Bytes that are already stored are not written again, for example the
 * tools of every session after the first.
 */
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

/**
 * Stores a stream of bytes. The digest of the bytes, and so the name of the file, is known only at the end of the
 * stream.
 */
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

interface PutArtifact {
  readonly digest: Digest;
  readonly size: number;
}

interface Tally {
  readonly hash: Hash;
  size: number;
  sourceFailed: boolean;
}

/**
 * Yields the caller's bytes unchanged, and hashes and counts them. `sourceFailed` is true while the generator waits for
 * the caller's source, so an error of the source can be recognized and thrown unchanged.
 */
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
 * Returns true if undamaged bytes are stored at this place. If the bytes are damaged, returns false, and the caller
 * writes them again. Before the check, the time of the file is set to now. So a garbage collection that runs at the
 * same time does not remove the file before a record can refer to it.
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
    // An unpacked artifact is small, so reading it whole costs less than a stream.
    const small = await readRegularFile(plain, { most: MAX_UNPACKED }).catch(unlessGone);
    if (small === undefined) path = packed;
    for await (const piece of small === undefined ? await unpackFile(packed) : [small]) {
      hash.update(piece);
      yield piece;
    }
  } catch (cause) {
    if (isGone(cause)) throw missing(paths, digest);
    // A failing disk or too many open files does not prove that the bytes are damaged.
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
  // The callback form of `pipeline` passes errors of both streams to the reader of the last stream, and closes both
  // streams when reading stops.
  return pipelineOf(handle.createReadStream(), createZstdDecompress(), () => undefined);
}

function writeFailed(paths: HomePaths, cause: unknown): LogError {
  const why = isOfSystem(cause) ? ` (${cause.message})` : '';
  const message = `An artifact could not be written under ${paths.artifacts}${why}. No record refers to it yet; check the disk and the limit of open files, then try again.`;
  return new LogError('artifact/write-failed', message, { path: paths.artifacts }, cause);
}

function missing(paths: HomePaths, digest: Digest): LogError {
  const { plain } = artifactPaths(paths, digest);
  return new LogError(
    'artifact/missing',
    `Artifact ${digest} does not exist here (${plain}); it was removed, or it belongs to another home.`,
    { digest, path: plain },
  );
}

function damageError(path: string, digest: Digest, cause?: unknown): LogError {
  const message = `The bytes of ${path} no longer match the digest in its name, so the artifact cannot be used. Storing the same bytes again repairs it.`;
  return new LogError('artifact/damaged', message, { digest, path }, cause);
}
