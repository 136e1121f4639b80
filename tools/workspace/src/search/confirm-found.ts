// Confirms the results of ripgrep. ripgrep opens files by path. If a link was created after ripgrep listed the folder,
// ripgrep follows the link. Therefore each result is searched for again in a file that is opened without following a
// link. It is shown only if it is found again.

import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { fileChunks } from '../confine/file-chunks.ts';
import { holdFolder } from '../confine/held-folder.ts';
import { openFile } from '../confine/open-file.ts';
import { showName } from '../confine/show-name.ts';
import { WorkspaceError } from '../workspace-error.ts';

/** Place at which ripgrep found a line. */
export interface FoundLine {
  /** Path relative to the workspace. */
  readonly path: string;
  /** Offset in bytes of the file as UTF-8, not counting a byte order mark. */
  readonly offset: number;
  readonly bytes: number;
  /** SHA-256 of the bytes of the line, in hex. */
  readonly digest: string;
}

/** Maximum size in bytes of a UTF-16 file that is decoded again. In larger UTF-16 files, lines are not confirmed. */
const MAX_DECODED = 16 * 1024 * 1024;

/**
 * Returns the lines that are still in their files in the workspace. Lines of the same file are together and in their
 * original order. `folder` is the real path of the workspace.
 */
export async function confirmLines<Line extends FoundLine>(
  folder: string,
  lines: readonly Line[],
): Promise<readonly Line[]> {
  const byPath = Map.groupBy(lines, ({ path }) => path);
  const confirmed: Line[] = [];
  for (const [path, ofFile] of byPath) confirmed.push(...(await linesIn(folder, path, ofFile)));
  return confirmed;
}

async function linesIn<Line extends FoundLine>(
  folder: string,
  path: string,
  lines: readonly Line[],
): Promise<readonly Line[]> {
  try {
    await using file = await openFile({ path: join(folder, path), shown: path, inside: true });
    if (file === undefined) return [];
    const read = await readerOf(file.handle, file.stats.size);
    const same: Line[] = [];
    for (const line of lines) if (hashOf(await read(line)) === line.digest) same.push(line);
    return same;
  } catch (error) {
    if (error instanceof WorkspaceError) return [];
    throw error;
  }
}

type ReadLine = (line: FoundLine) => Promise<Uint8Array>;

/**
 * Returns a function that reads a line in the same form as ripgrep: without the byte order mark, and converted from
 * UTF-16 to UTF-8.
 */
async function readerOf(handle: FileHandle, size: bigint): Promise<ReadLine> {
  const { buffer } = await handle.read(Buffer.alloc(3), 0, 3, 0);
  const head = buffer.toString('hex');
  const wide = head.startsWith('fffe') ? 'utf-16le' : head.startsWith('feff') ? 'utf-16be' : undefined;
  if (wide !== undefined) return readerOfWide(handle, wide, size);
  const start = head === 'efbbbf' ? 3 : 0;
  return async ({ offset, bytes }) => {
    const { buffer: line, bytesRead } = await handle.read(Buffer.alloc(bytes), 0, bytes, start + offset);
    return line.subarray(0, bytesRead);
  };
}

async function readerOfWide(handle: FileHandle, encoding: string, size: bigint): Promise<ReadLine> {
  if (size > MAX_DECODED) return async () => Buffer.alloc(0);
  const decoder = new TextDecoder(encoding);
  let text = '';
  for await (const chunk of fileChunks(handle, new AbortController().signal))
    text += decoder.decode(chunk, { stream: true });
  const whole = Buffer.from(text + decoder.decode());
  return async ({ offset, bytes }) => whole.subarray(offset, offset + bytes);
}

/**
 * Returns the names that exist in the workspace, in their original order. Names are paths relative to the workspace.
 */
export async function confirmNames(folder: string, names: readonly string[]): Promise<readonly string[]> {
  const byFolder = Map.groupBy(names, (name) => dirname(name));
  const there = new Set<string>();
  for (const [below, ofFolder] of byFolder)
    for (const name of await namesIn(join(folder, below), ofFolder)) there.add(name);
  return names.filter((name) => there.has(name));
}

async function namesIn(path: string, names: readonly string[]): Promise<readonly string[]> {
  try {
    await using held = await holdFolder({ path, shown: path });
    if (held === undefined) return [];
    const found = await Promise.all(names.map((name) => held.statsOf(basename(name))));
    return names.filter((_, at) => found[at] !== undefined);
  } catch (error) {
    if (error instanceof WorkspaceError) return [];
    throw error;
  }
}

/**
 * Returns the error output of ripgrep (`complaint`). Lines about files that do not exist in the workspace are removed.
 */
export async function confirmComplaint(folder: string, complaint: string): Promise<string> {
  const lines = complaint.split('\n');
  const named = lines.map((line) => /^rg: \.\/(.+): [^:]*$/.exec(line)?.[1]);
  const there = new Set(
    await confirmNames(
      folder,
      named.filter((name) => name !== undefined),
    ),
  );
  return lines.filter((_, at) => named[at] === undefined || there.has(named[at])).join('\n');
}

/**
 * Returns a note about files or folders that could not be read. If ripgrep wrote error output, the note contains its
 * first line.
 */
export function unreadNote(what: 'files' | 'folders', complaint: string): string {
  const [first = ''] = complaint.split('\n', 1);
  return `some ${what} could not be read${first === '' ? '' : `: ${showName(first)}`}`;
}

/** Returns the SHA-256 of the bytes of a line, in hex. */
export function hashOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
