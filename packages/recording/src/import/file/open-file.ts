// A file on disk as bytes that can be read from the beginning more than once.

import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { ImportError } from '../import-error.ts';

/**
 * Opens a file for reading, once per pass.
 *
 * @throws ImportError `import/missing`, `import/unreadable`, `import/empty`.
 */
export async function openFile(path: string): Promise<() => AsyncIterable<Uint8Array>> {
  const found = await look(path);
  if (!found.isFile()) {
    const reason = found.isDirectory() ? 'it is a folder' : 'it is no regular file, and it is read twice';
    throw new ImportError('import/unreadable', `${path} cannot be imported: ${reason}. Give one transcript file.`, {
      source: path,
      reason,
    });
  }
  if (found.size === 0) {
    throw new ImportError('import/empty', `${path} is empty: there is nothing to import.`, { source: path });
  }
  return () => chunksOf(path);
}

async function look(path: string): ReturnType<typeof stat> {
  try {
    return await stat(path);
  } catch (error) {
    throw asImportError(path, error);
  }
}

async function* chunksOf(path: string): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of createReadStream(path, { highWaterMark: 256 * 1024 })) {
      if (chunk instanceof Uint8Array) yield chunk;
    }
  } catch (error) {
    throw asImportError(path, error);
  }
}

function asImportError(path: string, error: unknown): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'ENOENT' || code === 'ENOTDIR') {
    return new ImportError('import/missing', `${path} is not there. Check the path.`, { source: path }, error);
  }
  if (typeof code !== 'string') return error;
  const message = `${path} cannot be read (${code}). Check its permissions.`;
  return new ImportError('import/unreadable', message, { source: path, reason: code }, error);
}
