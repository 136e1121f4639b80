// Allows only one process at a time to change a file. An open exclusive transaction of SQLite holds an operating-system
// lock until it is released or the process ends. The lock does not depend on a clock. A slow or suspended process keeps
// the lock, and a killed process loses it immediately. The lease of `stores/ndjson` works in the same way.

import { closeSync, lstatSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';

import { isHeldLock, makeFolder, openLockDatabase } from '@tidemark/files';

import { SettingsError } from './settings-error.ts';

const PAUSE_MS = 10;
/** Longest wait for the lock, in milliseconds. A change takes only milliseconds, so a longer wait has another cause. */
const LONGEST_MS = 30_000;

type Wait = (ms: number) => Promise<unknown>;

/**
 * Runs `work` and holds the lock of the file during this time. If another call or process holds the lock, waits until
 * it is free. The lock is the file `<path>.lock`. This file is not removed after the work, because another call could
 * wait for the lock of the removed file. `wait` makes the pauses between attempts.
 *
 * @throws SettingsError `settings/no-lock` when the lock cannot be taken, or is still held by another process after 30
 * seconds. Also any error of the work.
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

/** Takes the lock without waiting. If another call or process holds it, returns `undefined`. */
function tryLock(path: string): DatabaseSync | undefined {
  makeLockFile(path);
  // SQLite opens the path by name. If the path is a pipe, SQLite would wait. If it is a device, SQLite would write into
  // the device.
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
 * Creates the lock file if it is missing. When a process closes any descriptor of a file, POSIX drops all locks of the
 * process on that file. Therefore only SQLite opens an existing lock file.
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
