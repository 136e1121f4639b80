// Prompts of earlier sessions: a file in the home, with one JSON string a line, oldest first. Several processes can use
// it at the same time.

import type { FileHandle } from 'node:fs/promises';
import { open, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';

import { makeFolder, readRegularFile } from '@tidemark/files';

/** Prompts of earlier sessions. */
export interface PromptHistory {
  /** Returns the latest prompts, oldest first. A file that cannot be read has no prompts. */
  read(): Promise<readonly string[]>;
  /** Appends a prompt. Secrets are masked first. */
  add(prompt: string): Promise<void>;
}

/** Place of the history. `mask` replaces the secrets in a text. */
export interface HistoryPlace {
  readonly home: string;
  mask(text: string): Promise<string>;
}

/** Size of the file at which it becomes the older file, in bytes. The older file before it is removed. */
const MAX_BYTES = 2 * 1024 * 1024;

/** Length of the longest prompt that is kept. A longer one is kept only until the terminal ends. */
const MAX_LENGTH = 64 * 1024;

const MAX_PROMPTS = 1_000;

/** Age of a lock that another process left, in milliseconds. */
const STALE_LOCK_MS = 60_000;

/** Opens the history in a home. The file is made when the first prompt is added. */
export function openPromptHistory({ home, mask }: HistoryPlace): PromptHistory {
  const path = join(home, 'prompts.jsonl');
  const older = join(home, 'prompts.old.jsonl');
  return {
    async read() {
      const lines = [...(await linesOf(older)), ...(await linesOf(path))];
      const prompts = lines.flatMap(promptOf);
      return prompts.filter((prompt, index) => prompt !== prompts[index + 1]).slice(-MAX_PROMPTS);
    },
    async add(prompt) {
      const masked = await mask(prompt);
      if (masked.trim() === '' || masked.length > MAX_LENGTH) return;
      await makeFolder(home, 0o700);
      await appendLine(path, JSON.stringify(masked));
      await limitSize(path, older);
    },
  };
}

async function linesOf(path: string): Promise<readonly string[]> {
  try {
    const bytes = await readRegularFile(path, { most: 4 * MAX_BYTES });
    return Buffer.from(bytes).toString('utf8').split('\n');
  } catch {
    // The prompts are a convenience. The editor also works without them.
    return [];
  }
}

/** A process that ended while it wrote leaves an incomplete line. It is skipped. */
function promptOf(line: string): readonly string[] {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'string' ? [value] : [];
  } catch {
    return [];
  }
}

/** Appends the line in one write, so that the lines of two processes do not mix. */
async function appendLine(path: string, line: string): Promise<void> {
  const file = await open(path, 'a+', 0o600);
  try {
    await file.chmod(0o600);
    await file.write(`${(await endsInside(file)) ? '\n' : ''}${line}\n`);
  } finally {
    await file.close();
  }
}

/** Returns true if the file ends inside a line, which a process did not finish. */
async function endsInside(file: FileHandle): Promise<boolean> {
  const { size } = await file.stat();
  if (size === 0) return false;
  const { buffer } = await file.read(Buffer.alloc(1), 0, 1, size - 1);
  return buffer.toString() !== '\n';
}

/**
 * Renames a large file to the older file. Only the process that made the lock renames. The size is read under the lock,
 * so a file that another process has just begun is never renamed.
 */
async function limitSize(path: string, older: string): Promise<void> {
  if ((await sizeOf(path)) <= MAX_BYTES) return;
  const lock = `${path}.lock`;
  const held = await open(lock, 'wx', 0o600).catch(() => undefined);
  if (held === undefined) return removeStale(lock);
  try {
    if ((await sizeOf(path)) > MAX_BYTES) await rename(path, older);
  } finally {
    await held.close();
    await rm(lock, { force: true });
  }
}

/** Returns the size of a file. It is 0 if another process has just renamed the file. */
async function sizeOf(path: string): Promise<number> {
  return (await stat(path).catch(() => undefined))?.size ?? 0;
}

async function removeStale(lock: string): Promise<void> {
  const found = await stat(lock).catch(() => undefined);
  if (found !== undefined && Date.now() - found.mtimeMs > STALE_LOCK_MS) await rm(lock, { force: true });
}
