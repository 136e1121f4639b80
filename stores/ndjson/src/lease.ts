// Lease of a session: an operating-system lock that allows only one writer. An open exclusive transaction of SQLite
// holds the lock until it is released or the process ends. A suspended process keeps the lock, and a killed process
// loses it at once. The lock depends on no clock and no heartbeat.

import type { Stats } from 'node:fs';
import { closeSync, existsSync, openSync, statSync, utimesSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { isHeldLock, openDatabase, openLockDatabase } from '@tidemark/files';
import type { SessionId } from '@tidemark/log';
import { LogError } from '@tidemark/log';
import { notAFile } from './file-port.ts';

/** A lock that is held on a session. `release` frees the lock. */
export interface Lease {
  release(): void;
}

/** Longest wait for a reader of `heldSince`, which locks the file for a moment, in milliseconds. */
const WAIT_MS = 20;

/**
 * Takes the lock of a session. Does not wait for another writer.
 *
 * @throws LogError `log/locked` while another writer lives, in this process or any other; `log/not-a-file` for a pipe
 *   or a device; `log/write-failed` when the lock cannot be taken for another reason, such as a read-only folder.
 */
export function takeLease(path: string, session: SessionId): Lease {
  makeLeaseFile(path);
  requireFile(path);
  const database = openLease(path, session);
  try {
    database.exec('BEGIN EXCLUSIVE');
  } catch (cause) {
    database.close();
    throw refusal(path, session, cause);
  }
  // Garbage collection reads this time as the start of the lock. `utimes` opens no descriptor, so it does not drop the
  // lock.
  const now = new Date();
  utimesSync(path, now, now);
  return { release: () => database.close() };
}

/**
 * Returns the time at which the living writer of the session took this lock, in milliseconds since 1970. A suspended
 * process counts as living. Returns `undefined` if no living writer holds the lock.
 */
export function heldSince(path: string): number | undefined {
  if (!existsSync(path)) return undefined;
  requireFile(path);
  const since = statSync(path).mtimeMs;
  const database = openLockDatabase(path);
  try {
    // A shared lock, so that two processes can look at the same time.
    database.exec('SELECT count(*) FROM sqlite_schema');
    return undefined;
  } catch (cause) {
    if (!isHeldLock(cause)) throw cause;
    return since;
  } finally {
    database.close();
  }
}

/**
 * Creates the lease file if it is missing. In POSIX, a process loses all its locks on a file when it closes *any*
 * descriptor of that file. So only SQLite opens an existing lease file. The code here opens and closes the file in one
 * synchronous operation, before any lock exists.
 */
function makeLeaseFile(path: string): void {
  try {
    closeSync(openSync(path, 'wx', 0o600));
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  }
}

function openLease(path: string, session: SessionId): DatabaseSync {
  try {
    return openDatabase(path, WAIT_MS);
  } catch (cause) {
    throw refusal(path, session, cause);
  }
}

/**
 * Checks that the path is a regular file. SQLite opens it by name, and would wait for a pipe or write into a device.
 */
function requireFile(path: string): void {
  const stats = statsOf(path);
  if (!stats.isFile()) throw notAFile(path, stats.isDirectory() ? 'a folder' : stats.isFIFO() ? 'a pipe' : 'a device');
}

function statsOf(path: string): Stats {
  try {
    return statSync(path);
  } catch (cause) {
    const isLoop = cause instanceof Error && 'code' in cause && cause.code === 'ELOOP';
    throw isLoop ? notAFile(path, 'a loop of symbolic links', cause) : cause;
  }
}

function refusal(path: string, session: SessionId, cause: unknown): unknown {
  if (!isHeldLock(cause)) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    const message = `The lock of session ${session} (${path}) cannot be taken: ${reason}. Nothing was written. The file contains only the lock: if it is damaged and no process writes this session, delete it.`;
    return new LogError('log/write-failed', message, { session, path }, cause);
  }
  return new LogError(
    'log/locked',
    `Session ${session} is being written by another writer, whose process is running or suspended. Close that writer, or fork the session.`,
    { session, path },
    cause,
  );
}
