// Packs the bytes of an artifact for storing: as they are up to 4 KiB, with zstd above. A stream is packed into a
// temporary file, because its digest, and so its key, is known only at its end.

import type { Hash } from 'node:crypto';
import { createHash, randomUUID } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { createZstdCompress, zstdCompress } from 'node:zlib';
import type { Digest } from '@tidemark/log';
import { digest as mintDigest } from '@tidemark/log';
import type { ObjectFile } from './object-store.ts';

/** Size up to which an artifact is stored unpacked, in bytes. A larger artifact is compressed. */
const PLAIN_LIMIT = 4_096;

/** Bytes that are ready for storing. */
export interface Spooled {
  /** Digest of the bytes before packing. */
  readonly digest: Digest;
  /** Number of bytes before packing. */
  readonly size: number;
  readonly isPacked: boolean;
  readonly content: Uint8Array | ObjectFile;
}

/** Number of bytes that are read from a temporary file at once. */
const PIECE = 65_536;

const pack = promisify(zstdCompress);

/** Hashes bytes that are completely in memory, and packs them if they are large. */
export async function spoolBytes(bytes: Uint8Array): Promise<Spooled> {
  const isPacked = bytes.length > PLAIN_LIMIT;
  const digest = mintDigest(createHash('sha256').update(bytes).digest('hex'));
  return { digest, size: bytes.length, isPacked, content: isPacked ? await pack(bytes) : bytes };
}

/** Error of the caller's source, which is thrown to the caller unchanged. */
export class SourceFailure extends Error {
  override readonly name = 'SourceFailure';
}

/**
 * Hashes and packs a stream, and passes the result to `use`. More than 4 KiB are packed into a temporary file of the
 * mode 0600. The file loses its name as soon as it is open, so a killed process leaves nothing.
 *
 * @throws SourceFailure with the error of the source as `cause`; the error of the system if the temporary file cannot
 *   be written; any error of `use`.
 */
export async function spoolStream(
  bytes: AsyncIterable<Uint8Array>,
  use: (spooled: Spooled) => Promise<void>,
): Promise<Spooled> {
  const tally: ByteCount = { hash: createHash('sha256'), size: 0 };
  const counted = countBytes(fromSource(bytes), tally);
  try {
    const head: Uint8Array[] = [];
    while (tally.size <= PLAIN_LIMIT) {
      const next = await counted.next();
      if (next.done === true) return await usePlain(Buffer.concat(head), use);
      head.push(new Uint8Array(next.value));
    }
    return await inTemporaryFile((handle) => spoolInto(handle, tally, chained(head, counted), use));
  } finally {
    // Closes the source if it was not read to its end.
    await counted.return(undefined);
  }
}

async function spoolInto(
  handle: FileHandle,
  tally: ByteCount,
  bytes: AsyncIterable<Uint8Array>,
  use: (spooled: Spooled) => Promise<void>,
): Promise<Spooled> {
  const packed: ByteCount = { hash: createHash('sha256'), size: 0 };
  await pipeline(bytes, createZstdCompress(), (pieces: AsyncIterable<Uint8Array>) =>
    fill(handle, countBytes(pieces, packed)),
  );
  const spooled = { digest: digestOf(tally), size: tally.size, isPacked: true, content: fileOf(handle, packed) };
  await use(spooled);
  return spooled;
}

async function usePlain(bytes: Uint8Array, use: (spooled: Spooled) => Promise<void>): Promise<Spooled> {
  const spooled = await spoolBytes(bytes);
  await use(spooled);
  return spooled;
}

interface ByteCount {
  readonly hash: Hash;
  size: number;
}

/** Yields the bytes unchanged, and hashes and counts them. */
async function* countBytes(bytes: AsyncIterable<Uint8Array>, tally: ByteCount): AsyncGenerator<Uint8Array> {
  for await (const piece of bytes) {
    tally.hash.update(piece);
    tally.size += piece.length;
    yield piece;
  }
}

/** Yields the bytes of the caller's source unchanged. Throws its error as the cause of a `SourceFailure`. */
async function* fromSource(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const source = bytes[Symbol.asyncIterator]();
  let isOpen = true;
  try {
    for (;;) {
      isOpen = false;
      const next = await source.next().catch(failSource);
      if (next.done === true) return;
      isOpen = true;
      yield next.value;
    }
  } finally {
    if (isOpen) await source.return?.();
  }
}

function failSource(cause: unknown): never {
  throw new SourceFailure('The source of an artifact failed.', { cause });
}

async function* chained(head: readonly Uint8Array[], rest: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield* head;
  yield* rest;
}

function digestOf({ hash }: ByteCount): Digest {
  return mintDigest(hash.digest('hex'));
}

function fileOf(handle: FileHandle, { hash, size }: ByteCount): ObjectFile {
  return { size, sha256: hash.digest('hex'), read: () => Readable.from(piecesOf(handle, size), { objectMode: false }) };
}

async function fill(handle: FileHandle, bytes: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const piece of bytes) await handle.writeFile(piece);
}

/** Yields the bytes of a file from its beginning. A stream of the handle itself would close the handle at its end. */
async function* piecesOf(handle: FileHandle, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < size;) {
    const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafe(PIECE), 0, PIECE, at);
    if (bytesRead === 0) throw new Error(`a temporary file ends at ${at} of ${size} bytes`);
    at += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}

async function inTemporaryFile<T>(use: (handle: FileHandle) => Promise<T>): Promise<T> {
  const path = join(tmpdir(), `tidemark-${randomUUID()}`);
  const handle = await open(path, 'wx+', 0o600);
  try {
    await rm(path, { force: true });
    return await use(handle);
  } finally {
    await handle.close();
  }
}
