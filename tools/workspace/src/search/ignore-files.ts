// ripgrep opens ignore files without a look at what they are: it waits for a pipe for ever, and takes all memory for `/dev/zero`.
// A search is therefore watched while it runs. A pipe that it never opens does not end it.

import type { Stats } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { constants, open, readdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

/** Names that ripgrep reads in each folder that it walks, and in those above. */
const NAMES: ReadonlySet<string> = new Set(['.gitignore', '.ignore', '.rgignore']);
/** Folders that are looked at. The time limit of a search covers the rest. */
const MOST_FOLDERS = 10_000;
const MOST_FOUND = 100;
const PAUSE_MS = 20;

/** An ignore file that is a pipe or a device. */
export interface IrregularFile {
  readonly path: string;
  readonly isPipe: boolean;
}

/** What a watch found. */
export interface IgnoreWatch {
  /** The pipe that somebody waits for now; `undefined` when the signal aborted before there was one. */
  readonly waitedFor: string | undefined;
  readonly devices: readonly string[];
  /** To be called once the reader is ended: until then it still waits. */
  release(): Promise<void>;
}

/**
 * Looks for ignore files that are pipes or devices, at or above `root` and in folders below it, and then until a reader waits for
 * one of the pipes. Ends early when the signal aborts. Never throws.
 */
export async function watchIgnoreFiles(root: string, signal: AbortSignal): Promise<IgnoreWatch> {
  const found = await irregularFiles(root, signal);
  const pipes = found.filter(({ isPipe }) => isPipe).map(({ path }) => path);
  const devices = found.filter(({ isPipe }) => !isPipe).map(({ path }) => path);
  while (pipes.length > 0 && !signal.aborted) {
    for (const path of pipes) {
      const writer = await writerOf(path);
      if (writer !== undefined) return { waitedFor: path, devices, release: () => writer.close() };
    }
    await pause(PAUSE_MS, undefined, { signal }).catch(() => undefined);
  }
  return { waitedFor: undefined, devices, release: async () => undefined };
}

async function irregularFiles(root: string, signal: AbortSignal): Promise<readonly IrregularFile[]> {
  const found: IrregularFile[] = [];
  const look = async (path: string): Promise<void> => {
    const stats = await stat(path).catch(() => undefined);
    if (stats !== undefined && isEndless(stats)) found.push({ path, isPipe: stats.isFIFO() });
  };
  for (let at = root; ; at = dirname(at)) {
    for (const name of [...NAMES, '.git/info/exclude']) await look(join(at, name));
    if (at === dirname(at)) break;
  }
  const folders = [root];
  // It grows as it is walked: nearer folders come first.
  for (const folder of folders) {
    if (signal.aborted || found.length >= MOST_FOUND) break;
    for (const entry of await readdir(folder, { withFileTypes: true }).catch(() => [])) {
      if (NAMES.has(entry.name) && !entry.isFile() && folder !== root) await look(join(folder, entry.name));
      const isWalked = entry.isDirectory() && entry.name !== '.git' && folders.length < MOST_FOLDERS;
      if (isWalked) folders.push(join(folder, entry.name));
    }
  }
  return found;
}

/** A socket cannot be opened, so nothing waits for it. */
function isEndless(stats: Stats): boolean {
  return stats.isFIFO() || stats.isCharacterDevice() || stats.isBlockDevice();
}

/** Without a reader, opening a pipe for writing fails at once (fifo(7)). The pipe gets no byte, and no end while it is open. */
function writerOf(path: string): Promise<FileHandle | undefined> {
  return open(path, constants.O_WRONLY | constants.O_NONBLOCK).catch(() => undefined);
}
