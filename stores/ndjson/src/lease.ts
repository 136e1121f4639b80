// The right to write a session: an operating-system lock, held by an open exclusive transaction of SQLite for as long
// as the process lives. A stopped holder keeps it, a killed one loses it at once; no clock and no heartbeat decide.

import type { Stats } from 'node:fs';
import { closeSync, existsSync, openSync, statSync, utimesSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import type { SessionId } from '@tidemark/log';
import { LogError } from '@tidemark/log';
import { notAFile } from './file-port.ts';

/** A lock that is held. */
export interface Lease {
  release(): void;
}

const SQLITE_BUSY = 5;
const SQLITE_LOCKED = 6;

/**
 * Takes the lock of a session, at once or not at all.
 *
 * @throws LogError `log/locked` while another writer lives, in this process or any other; `log/not-a-file` for a pipe or a device;
 * `log/write-failed` where the lock cannot be taken for another reason, such as a read-only folder.
 */
export function takeLease(path: string, session: SessionId): Lease {
  makeLeaseFile(path);
  requireFile(path);
  const database = openDatabase(path, session);
  try {
    database.exec('BEGIN EXCLUSIVE');
  } catch (cause) {
    database.close();
    throw refusal(path, session, cause);
  }
  // Whoever collects garbage asks since when it is held. Setting times opens no descriptor.
  const now = new Date();
  utimesSync(path, now, now);
  return { release: () => database.close() };
}

/** Since when a living writer, even a stopped one, holds this lock, in milliseconds since 1970; `undefined` when none does. */
export function heldSince(path: string): number | undefined {
  if (!existsSync(path)) return undefined;
  requireFile(path);
  const since = statSync(path).mtimeMs;
  const database = new DatabaseSync(path, { timeout: 0 });
  try {
    database.exec('BEGIN EXCLUSIVE');
    return undefined;
  } catch (cause) {
    if (!isHeld(cause)) throw cause;
    return since;
  } finally {
    database.close();
  }
}

/**
 * POSIX drops every lock that a process has on a file as soon as it closes *any* descriptor of it. So nobody but SQLite
 * opens this file, except to make it, and that in one stride.
 */
function makeLeaseFile(path: string): void {
  try {
    closeSync(openSync(path, 'wx', 0o600));
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  }
}

function openDatabase(path: string, session: SessionId): DatabaseSync {
  try {
    return new DatabaseSync(path, { timeout: 0 });
  } catch (cause) {
    throw refusal(path, session, cause);
  }
}

/** SQLite opens it by its name, and would wait for a pipe or write into a device. */
function requireFile(path: string): void {
  const stats = statsOf(path);
  if (!stats.isFile()) throw notAFile(path, stats.isDirectory() ? 'a folder' : stats.isFIFO() ? 'a pipe' : 'a device');
}

function statsOf(path: string): Stats {
  try {
    return statSync(path);
  } catch (cause) {
    const isLoop = cause instanceof Error && 'code' in cause && cause.code === 'ELOOP';
    throw isLoop ? notAFile(path, 'a loop of links', cause) : cause;
  }
}

function refusal(path: string, session: SessionId, cause: unknown): unknown {
  if (!isHeld(cause)) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    const message = `The lock of session ${session} (${path}) cannot be taken: ${reason}. Nothing was written. The file holds nothing else: where it is damaged and no process writes this session, delete it.`;
    return new LogError('log/write-failed', message, { session, path }, cause);
  }
  return new LogError(
    'log/locked',
    `Session ${session} is being written by another writer, which is alive (a stopped one is, too). Close it, or fork the session.`,
    { session, path },
    cause,
  );
}

function isHeld(cause: unknown): boolean {
  const code =
    cause instanceof Error && 'errcode' in cause && typeof cause.errcode === 'number' ? cause.errcode & 0xff : 0;
  return code === SQLITE_BUSY || code === SQLITE_LOCKED;
}
