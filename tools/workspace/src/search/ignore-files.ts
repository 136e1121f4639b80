// Watches ignore files during a search. ripgrep opens an ignore file without checking its type. A pipe makes ripgrep
// wait forever, and `/dev/zero` makes it use all memory. The watch reports such files. If ripgrep never opens a pipe,
// the pipe does not end the search.

import type { Stats } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { constants, open, readdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

/** Names of ignore files that ripgrep reads in each searched folder and in the folders above it. */
const NAMES: ReadonlySet<string> = new Set(['.gitignore', '.ignore', '.rgignore']);
/**
 * Maximum number of folders that are checked. An ignore file in a folder beyond this limit may block a search. In that
 * case, only the time limit ends the search.
 */
const MAX_FOLDERS = 10_000;
const MAX_FOUND = 100;
const PAUSE_MS = 20;

/** An ignore file that is a pipe or a device. */
export interface IrregularFile {
  readonly path: string;
  readonly isPipe: boolean;
}

/** Result of watching the ignore files of a search. */
export interface IgnoreWatch {
  /**
   * Path of a pipe that a process has opened for reading. The process is normally ripgrep. `undefined` if the signal
   * aborted before this happened, or if there is no pipe.
   */
  readonly waitedFor: string | undefined;
  readonly devices: readonly string[];
  /**
   * Closes the pipe. Call it only after ripgrep has ended. Otherwise ripgrep would read the end of the pipe and
   * continue.
   */
  release(): Promise<void>;
}

/**
 * Looks for ignore files that are pipes or devices, in the folders above `root` and below it. If there are pipes, waits
 * until a process opens one of them for reading or until the signal aborts. Never throws.
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
  // The list grows during the loop, so folders nearer to the root come first.
  for (const folder of folders) {
    if (signal.aborted || found.length >= MAX_FOUND) break;
    for (const entry of await readdir(folder, { withFileTypes: true }).catch(() => [])) {
      if (NAMES.has(entry.name) && !entry.isFile() && folder !== root) await look(join(folder, entry.name));
      const isWalked = entry.isDirectory() && entry.name !== '.git' && folders.length < MAX_FOLDERS;
      if (isWalked) folders.push(join(folder, entry.name));
    }
  }
  return found;
}

/** Returns true for a pipe or a device. A socket cannot be opened as a file, so a reader never waits for it. */
function isEndless(stats: Stats): boolean {
  return stats.isFIFO() || stats.isCharacterDevice() || stats.isBlockDevice();
}

/**
 * Opens a pipe for writing. If there is no reader, opening fails immediately (fifo(7)), and the function returns
 * `undefined`. While the pipe is open, its reader receives no bytes and no end.
 */
function writerOf(path: string): Promise<FileHandle | undefined> {
  return open(path, constants.O_WRONLY | constants.O_NONBLOCK).catch(() => undefined);
}
