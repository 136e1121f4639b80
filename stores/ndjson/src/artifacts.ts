// Bytes outside the log, by digest: streamed in beside their place, flushed, and renamed before a record names them.

import { createHash } from 'node:crypto';
import type { Hash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { access, utimes } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { Readable, pipeline as pipelineOf } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createZstdCompress, createZstdDecompress } from 'node:zlib';
import { LogError, digest as mintDigest } from '@tidemark/log';
import type { Artifacts, Digest } from '@tidemark/log';
import { flushFolder } from './durable-folder.ts';
import type { Folders } from './durable-folder.ts';
import { unlessGone } from './file-errors.ts';
import { artifactPaths } from './paths.ts';
import type { HomePaths } from './paths.ts';
import { writeAtomically } from './write-atomically.ts';

/** Larger ones are packed. */
const PLAIN_LIMIT = 4_096;

/** The artifacts of a home. */
export function createArtifacts(paths: HomePaths, folders: Folders): Artifacts {
  return {
    put: (bytes) => (bytes instanceof Uint8Array ? putWhole(paths, folders, bytes) : put(paths, folders, bytes)),
    get: (digest) => get(paths, digest),
    has: async (digest) => (await find(paths, digest)) !== undefined,
  };
}

/** What is there already, as a session's tools are from the second one on, is not written and flushed again. */
async function putWhole(paths: HomePaths, folders: Folders, bytes: Uint8Array): Promise<PutArtifact> {
  const digest = mintDigest(createHash('sha256').update(bytes).digest('hex'));
  if (!(await isKept(paths, digest))) return put(paths, folders, Readable.from([bytes]));
  const { folder } = artifactPaths(paths, digest);
  await folders.make(folder);
  await flushFolder(folder);
  return { digest, size: bytes.length };
}

async function put(paths: HomePaths, folders: Folders, bytes: AsyncIterable<Uint8Array>): Promise<PutArtifact> {
  const tally: Tally = { hash: createHash('sha256'), size: 0, sourceFailed: false };
  try {
    const digest = await write(paths, folders, bytes, tally);
    await flushFolder(artifactPaths(paths, digest).folder);
    return { digest, size: tally.size };
  } catch (cause) {
    if (tally.sourceFailed) throw cause;
    const message = `An artifact could not be written under ${paths.artifacts}. Nothing names it yet; see to the disk and try again.`;
    throw new LogError('artifact/write-failed', message, { path: paths.artifacts }, cause);
  }
}

async function write(
  paths: HomePaths,
  folders: Folders,
  bytes: AsyncIterable<Uint8Array>,
  tally: Tally,
): Promise<Digest> {
  await folders.make(paths.artifacts);
  let packed = false;
  const name = (): Digest => mintDigest(tally.hash.copy().digest('hex'));
  await writeAtomically(paths.artifacts, async (handle) => {
    packed = await fill(handle, counted(bytes, tally), tally);
    await folders.make(artifactPaths(paths, name()).folder);
    return settle(paths, name(), packed);
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
async function* counted(bytes: AsyncIterable<Uint8Array>, tally: Tally): AsyncGenerator<Uint8Array> {
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
async function fill(handle: FileHandle, bytes: AsyncGenerator<Uint8Array>, tally: Tally): Promise<boolean> {
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

/** Where the new file goes; nowhere when a sound one is there. One that is damaged is replaced. */
async function settle(paths: HomePaths, digest: Digest, packed: boolean): Promise<string | undefined> {
  const place = artifactPaths(paths, digest);
  if (await isKept(paths, digest)) return undefined;
  return packed ? place.packed : place.plain;
}

/** Renewed first: so no garbage collection that began meanwhile takes what was looked at. */
async function isKept(paths: HomePaths, digest: Digest): Promise<boolean> {
  return (await renewed(paths, digest)) && isSound(paths, digest);
}

/** As young as if it were written now: whoever collects garbage leaves it until a record can name it. */
async function renewed(paths: HomePaths, digest: Digest): Promise<boolean> {
  const found = await find(paths, digest);
  if (found === undefined) return false;
  const now = new Date();
  return (await utimes(found.path, now, now).then(yes, unlessGone)) === true;
}

function yes(): true {
  return true;
}

async function isSound(paths: HomePaths, digest: Digest): Promise<boolean> {
  try {
    for await (const piece of get(paths, digest)) if (piece.length === 0) continue;
    return true;
  } catch (error) {
    if (error instanceof LogError) return false;
    throw error;
  }
}

async function* get(paths: HomePaths, digest: Digest): AsyncGenerator<Uint8Array> {
  const found = await find(paths, digest);
  if (found === undefined) throw missing(paths, digest);
  const hash = createHash('sha256');
  try {
    for await (const piece of unpacked(found)) {
      hash.update(piece);
      yield piece;
    }
  } catch (cause) {
    throw broken(found.path, digest, cause);
  }
  if (hash.digest('hex') !== digest) throw broken(found.path, digest);
}

interface Found {
  readonly path: string;
  readonly packed: boolean;
}

async function find(paths: HomePaths, digest: Digest): Promise<Found | undefined> {
  const { plain, packed } = artifactPaths(paths, digest);
  if (await exists(packed)) return { path: packed, packed: true };
  return (await exists(plain)) ? { path: plain, packed: false } : undefined;
}

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

function unpacked({ path, packed }: Found): AsyncIterable<Uint8Array> {
  const file = createReadStream(path);
  // The callback form hands the streams' errors to whoever reads the last one, and closes both when it stops.
  return packed ? pipelineOf(file, createZstdDecompress(), () => undefined) : file;
}

function missing(paths: HomePaths, digest: Digest): LogError {
  const { plain } = artifactPaths(paths, digest);
  return new LogError(
    'artifact/missing',
    `Artifact ${digest} is not here (${plain}); it was removed, or belongs to another home.`,
    { digest, path: plain },
  );
}

function broken(path: string, digest: Digest, cause?: unknown): LogError {
  const message = `${path} no longer has the bytes whose digest is its name, and cannot be used. Putting the same bytes again mends it.`;
  return new LogError('artifact/damaged', message, { digest, path }, cause);
}
