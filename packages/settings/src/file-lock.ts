// Lets one process at a time change a file. An open exclusive transaction of SQLite holds an operating-system lock
// until it is released or the process ends. The lock depends on no clock: a slow or suspended process keeps it, and a
// killed process loses it at once. The lease of `stores/ndjson` is made in the same way.

import { closeSync, lstatSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';

import { isHeldLock, makeFolder, openLockDatabase } from '@tidemark/files';

import { SettingsError } from './settings-error.ts';

const PAUSE_MS = 10;
/** Longest wait for the lock, in milliseconds. A change takes milliseconds, so a longer wait has another cause. */
const LONGEST_MS = 30_000;

type Wait = (ms: number) => Promise<unknown>;

/**
 * Runs `work` while it holds the lock of the file. Waits while another call or process holds the lock. The lock is the
 * file `<path>.lock`. The file remains after the work, because a waiter could hold the lock of a removed file. `wait`
 * makes the pauses between attempts.
 *
 * @throws SettingsError `settings/no-lock` when the lock cannot be taken, or is still held after 30 seconds; any error
 *   of the work.
 */
export async function withLock<T>(path: string, work: () => Promise<T>, wait: Wait = pause): Promise<T> {
  await makeFolder(dirname(path), 0o700);
  const lock = await waitForLock(`${path}.lock`, wait);
  try {
    return await work();
  } finally {
    lock.close();
  }
}

async function waitForLock(path: string, wait: Wait): Promise<DatabaseSync> {
  for (let waited = 0; waited < LONGEST_MS; waited += PAUSE_MS) {
    const lock = tryLock(path);
    if (lock !== undefined) return lock;
    await wait(PAUSE_MS);
  }
  throw lockError(path, `another process has held the lock for ${LONGEST_MS / 1_000} seconds`);
}

/** Takes the lock without waiting. Returns `undefined` if it is held. */
function tryLock(path: string): DatabaseSync | undefined {
  makeLockFile(path);
  // SQLite opens the path by name. It would wait for a pipe, or write into a device.
  if (!lstatSync(path).isFile()) throw lockError(path, 'it is not a regular file');
  let database: DatabaseSync | undefined;
  try {
    database = openLockDatabase(path);
    database.exec('BEGIN EXCLUSIVE');
    return database;
  } catch (cause) {
    database?.close();
    if (isHeldLock(cause)) return undefined;
    throw lockError(path, cause instanceof Error ? cause.message : String(cause), cause);
  }
}

/**
 * Creates the lock file if it is missing. POSIX drops every lock of a process on a file as soon as the process closes
 * any descriptor of that file. Therefore only SQLite opens an existing lock file.
 */
function makeLockFile(path: string): void {
  try {
    closeSync(openSync(path, 'wx', 0o600));
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  }
}

function lockError(path: string, why: string, cause?: unknown): SettingsError {
  return new SettingsError('settings/no-lock', `${path} cannot be locked: ${why}`, { path }, cause);
}
