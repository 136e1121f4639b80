// ripgrep opens by path what it found by name, and follows a link that came in between. So what it found is shown only
// once it has been found again in a file that was reached without a link.

import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { fileChunks } from '../confine/file-chunks.ts';
import { holdFolder } from '../confine/held-folder.ts';
import { openFile } from '../confine/open-file.ts';
import { showName } from '../confine/show-name.ts';
import { WorkspaceError } from '../workspace-error.ts';

/** Where ripgrep saw a line. */
export interface FoundLine {
  /** From the workspace on. */
  readonly path: string;
  /** In bytes of the file as UTF-8, without a mark of byte order. */
  readonly offset: number;
  readonly bytes: number;
  /** SHA-256 of the bytes, in hex. */
  readonly digest: string;
}

/** Above this a file in UTF-16 is not decoded again, and its lines are not confirmed. */
const MOST_DECODED = 16 * 1024 * 1024;

/** The lines that stand in their files in the workspace, in their order. `folder`: the workspace, symlinks followed. */
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

/** ripgrep leaves a mark of byte order out, and turns UTF-16 into UTF-8. */
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
  if (size > MOST_DECODED) return async () => Buffer.alloc(0);
  const decoder = new TextDecoder(encoding);
  let text = '';
  for await (const chunk of fileChunks(handle, new AbortController().signal))
    text += decoder.decode(chunk, { stream: true });
  const whole = Buffer.from(text + decoder.decode());
  return async ({ offset, bytes }) => whole.subarray(offset, offset + bytes);
}

/** The names, from the workspace on, of what is there; in their order by folder. */
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

/** What ripgrep complained of, without the lines about files that are not there. */
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

/** A note about files or folders that could not be read, with the first complaint, if there is one left. */
export function unreadNote(what: 'files' | 'folders', complaint: string): string {
  const [first = ''] = complaint.split('\n', 1);
  return `some ${what} could not be read${first === '' ? '' : `: ${showName(first)}`}`;
}

/** Of the bytes of a line. */
export function hashOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
