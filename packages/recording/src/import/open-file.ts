// Opens a file on disk. Its bytes can be read from the start more than once.

import { FileError, openRegularFile } from '@tidemark/files';
import { ImportError } from './format/import-error.ts';

/**
 * Maximum size of a transcript, in bytes: 4 GiB. Larger files are refused because a transcript is read several times.
 */
const MAX_BYTES = 4 * 1024 ** 3;

/**
 * Checks that a file can be imported. Returns a function that reads the file from the start on each call.
 *
 * @throws ImportError `import/missing`, `import/unreadable` (also for a file above 4 GiB), `import/empty`.
 */
export async function openFile(path: string): Promise<() => AsyncIterable<Uint8Array>> {
  const size = await sizeOf(path);
  if (size > MAX_BYTES) {
    const reason = `it has ${size} bytes, and the maximum for a transcript is ${MAX_BYTES}`;
    throw new ImportError('import/unreadable', `${path} cannot be imported: ${reason}.`, { source: path, reason });
  }
  if (size === 0) {
    throw new ImportError('import/empty', `${path} is empty: there is nothing to import.`, { source: path });
  }
  return () => chunksOf(path);
}

async function sizeOf(path: string): Promise<number> {
  try {
    await using handle = await openRegularFile(path);
    return (await handle.stat()).size;
  } catch (error) {
    throw asImportError(path, error);
  }
}

async function* chunksOf(path: string): AsyncGenerator<Uint8Array> {
  try {
    const handle = await openRegularFile(path);
    // The stream closes the handle when it ends or when the loop stops early.
    for await (const chunk of handle.createReadStream({ highWaterMark: 256 * 1024 })) {
      if (chunk instanceof Uint8Array) yield chunk;
    }
  } catch (error) {
    throw asImportError(path, error);
  }
}

function asImportError(path: string, error: unknown): unknown {
  if (error instanceof FileError) {
    const reason = error.kind === undefined ? `it ${error.what}` : `it is ${error.kind}`;
    const message = `${path} cannot be imported: ${reason}. Use one transcript file.`;
    return new ImportError('import/unreadable', message, { source: path, reason }, error);
  }
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'ENOENT' || code === 'ENOTDIR') {
    return new ImportError('import/missing', `${path} does not exist. Check the path.`, { source: path }, error);
  }
  if (typeof code !== 'string') return error;
  const message = `${path} cannot be read (${code}). Check its permissions.`;
  return new ImportError('import/unreadable', message, { source: path, reason: code }, error);
}
