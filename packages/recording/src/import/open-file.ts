// Opens a file on disk. Its bytes can be read from the start more than once. A file that is compressed with zstd, as
// Codex stores old rollouts, is decompressed while it is read. A session of OpenCode is read as rows, one per line.

import { stat } from 'node:fs/promises';
import { Readable, pipeline } from 'node:stream';
import { createZstdDecompress } from 'node:zlib';
import { FileError, openRegularFile } from '@tidemark/files';
import { ImportError } from './format/import-error.ts';
import { openOpenCode, splitSessionPath } from './opencode/open-opencode.ts';

/**
 * Maximum size of a transcript, in bytes: 4 GiB. Larger files are refused because a transcript is read several times.
 */
const MAX_BYTES = 4 * 1024 ** 3;

/**
 * Checks that a file can be imported. Returns a function that reads the file from the start on each call. A path such as
 * `opencode.db#ses_1` names one session of a database of OpenCode.
 *
 * @throws ImportError `import/missing`, `import/unreadable` (also for a file above 4 GiB), `import/empty`,
 *   `import/several-sessions` and `import/unrecognised` for a database.
 */
export async function openFile(path: string): Promise<() => AsyncIterable<Uint8Array>> {
  const { file, session } = await nameFile(path);
  const { size, head } = await beginningOf(file);
  if (size === 0) {
    throw new ImportError('import/empty', `${file} is empty: there is nothing to import.`, { source: file });
  }
  const stored = openOpenCode(file, session, head, () => chunksOf(file));
  if (stored === undefined && size > MAX_BYTES) {
    const reason = `it has ${size} bytes, and the maximum for a transcript is ${MAX_BYTES}`;
    throw unreadable(file, reason);
  }
  return stored ?? (() => chunksOf(file));
}

// A file can have a name with `#`, so the part after `#` names a session only if there is no such file.
async function nameFile(path: string): Promise<ReturnType<typeof splitSessionPath>> {
  const split = splitSessionPath(path);
  if (split.session === undefined) return split;
  const exists = await stat(path).then(
    () => true,
    () => false,
  );
  return exists ? { file: path } : split;
}

/** Number of bytes from which the container of a transcript is recognised. */
const HEAD_BYTES = 512;

async function beginningOf(path: string): Promise<{ readonly size: number; readonly head: string }> {
  try {
    await using handle = await openRegularFile(path);
    const { size } = await handle.stat();
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
    return { size, head: buffer.toString('utf8', 0, bytesRead) };
  } catch (error) {
    throw asImportError(path, error);
  }
}

async function* chunksOf(path: string): AsyncGenerator<Uint8Array> {
  try {
    const handle = await openRegularFile(path);
    // The stream closes the handle when it ends or when the loop stops early.
    yield* expand(path, bytesOf(handle.createReadStream({ highWaterMark: 256 * 1024 })));
  } catch (error) {
    throw asImportError(path, error);
  }
}

async function* bytesOf(stream: AsyncIterable<unknown>): AsyncGenerator<Uint8Array> {
  for await (const chunk of stream) if (chunk instanceof Uint8Array) yield chunk;
}

/** First bytes of a file that is compressed with zstd (RFC 8878, section 3.1.1). */
const ZSTD = [0x28, 0xb5, 0x2f, 0xfd] as const;

async function* expand(path: string, chunks: AsyncGenerator<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    const { value: first } = await chunks.next();
    if (first === undefined) return;
    if (ZSTD.every((byte, index) => first[index] === byte)) yield* decompress(path, first, chunks);
    else {
      yield first;
      yield* chunks;
    }
  } finally {
    // Closes the file if the reader stops early.
    await chunks.return(undefined);
  }
}

async function* decompress(
  path: string,
  first: Uint8Array,
  rest: AsyncGenerator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  const compressed = async function* (): AsyncGenerator<Uint8Array> {
    yield first;
    yield* rest;
  };
  let bytes = 0;
  // An error of the file or of the data is thrown by the loop below.
  const expanded = pipeline(Readable.from(compressed()), createZstdDecompress(), () => undefined);
  for await (const chunk of bytesOf(expanded)) {
    bytes += chunk.length;
    if (bytes > MAX_BYTES) throw unreadable(path, `it has more than ${MAX_BYTES} bytes after decompression`);
    yield chunk;
  }
}

function unreadable(path: string, reason: string): ImportError {
  return new ImportError('import/unreadable', `${path} cannot be imported: ${reason}.`, { source: path, reason });
}

function asImportError(path: string, error: unknown): unknown {
  if (error instanceof FileError) {
    const reason = error.kind === undefined ? `it ${error.what}` : `it is ${error.kind}`;
    const message = `${path} cannot be imported: ${reason}. Use one transcript file.`;
    return new ImportError('import/unreadable', message, { source: path, reason }, error);
  }
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (typeof code === 'string' && /^Z(?:STD)?_/.test(code)) return unreadable(path, 'its compressed data is damaged');
  if (code === 'ENOENT' || code === 'ENOTDIR') {
    return new ImportError('import/missing', `${path} does not exist. Check the path.`, { source: path }, error);
  }
  if (typeof code !== 'string') return error;
  const message = `${path} cannot be read (${code}). Check its permissions.`;
  return new ImportError('import/unreadable', message, { source: path, reason: code }, error);
}
