// Reads an open file from beginning to end, with bounded memory.

import type { FileHandle } from 'node:fs/promises';

const CHUNK = 256 * 1024;

/**
 * Yields the bytes of the file. Each chunk is overwritten by the next chunk.
 *
 * @throws the reason of `signal` after the signal was aborted.
 */
export async function* fileChunks(handle: FileHandle, signal: AbortSignal): AsyncIterable<Uint8Array> {
  const chunk = Buffer.allocUnsafe(CHUNK);
  for (let at = 0; ;) {
    signal.throwIfAborted();
    const { bytesRead } = await handle.read(chunk, 0, CHUNK, at);
    if (bytesRead === 0) return;
    at += bytesRead;
    yield chunk.subarray(0, bytesRead);
  }
}
