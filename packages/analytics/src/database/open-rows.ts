// Opens a database of rows. The rows are a projection: everything in them can be read again from another place, so a
// database with other rules is emptied.

import { chmodSync, closeSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { isHeldLock, makeFolderSync, openDatabase } from '@tidemark/files';
import { AnalyticsError } from './analytics-error.ts';
import type { SqlRow, SqlValue } from './sql-value.ts';
import { sqlRow } from './sql-value.ts';

/** Longest wait for another process that writes the database, in milliseconds. */
const BUSY_MS = 30_000;

/** Pages of 4 KiB in the write-ahead log before they are copied into the database. */
const CHECKPOINT_PAGES = 8_000;

/** Size of the cache of pages. */
const CACHE_KB = 32_000;

/** Tables of a database, and the rules by which their rows are made. */
export interface RowTables {
  /** Everything outside of the sources that the rows depend on, such as the version of the tables. */
  readonly rules: string;
  /** Names of all tables that this version and earlier versions have, in the order in which they can be dropped. */
  readonly names: readonly string[];
  /** Statements that create the tables. */
  readonly create: string;
}

/** Open database of rows. Each function throws an `AnalyticsError` if SQLite fails. */
export interface RowDatabase {
  readonly database: DatabaseSync;
  /** Runs work and converts the errors of SQLite. */
  guard<T>(work: () => T): T;
  /** Runs work in one transaction that may write. */
  transact<T>(work: () => T): T;
  /** Runs a query and returns its rows. */
  query(sql: string, values?: Readonly<Record<string, SqlValue>>): readonly SqlRow[];
  /** Removes all rows. */
  empty(): void;
  close(): void;
}

/**
 * Opens the database at a path, or in memory without one. A database with other rules is emptied. A file that is no
 * database of this package is not changed.
 *
 * @throws AnalyticsError `analytics/busy` if another process writes for 30 seconds, `analytics/unusable` if the file
 *   cannot be opened, read or written.
 */
export function openRows(path: string | undefined, tables: RowTables): RowDatabase {
  const database = openFile(path ?? ':memory:');
  const name = path ?? 'the database in memory';
  try {
    transact(database, () => {
      if (rulesOf(database) !== tables.rules) createTables(database, tables);
    });
  } catch (error) {
    database.close();
    throw asAnalyticsError(error, name);
  }
  const guard = <T>(work: () => T): T => {
    try {
      return work();
    } catch (error) {
      throw asAnalyticsError(error, name);
    }
  };
  return {
    database,
    guard,
    transact: (work) => guard(() => transact(database, work)),
    query: (sql, values = {}) =>
      guard(() => {
        const statement = database.prepare(sql);
        statement.setReadBigInts(true);
        return statement.all({ ...values }).map(sqlRow);
      }),
    empty: () => guard(() => transact(database, () => createTables(database, tables))),
    close: () => database.close(),
  };
}

function openFile(path: string): DatabaseSync {
  try {
    if (path !== ':memory:') {
      makeFolderSync(dirname(path), 0o700);
      keepPrivate(path);
    }
    const database = openDatabase(path, BUSY_MS);
    database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON;');
    // A rebuild writes many pages again and again. Larger checkpoints write each of them fewer times.
    database.exec(`PRAGMA wal_autocheckpoint = ${CHECKPOINT_PAGES}; PRAGMA cache_size = -${CACHE_KB};`);
    return database;
  } catch (error) {
    throw asAnalyticsError(error, path);
  }
}

/**
 * Makes the file readable only by the user, because it has titles and paths. SQLite gives its other files the mode of
 * the database. An existing file is never opened here: closing it would drop the locks that this process has on it.
 */
function keepPrivate(path: string): void {
  try {
    closeSync(openSync(path, 'wx', 0o600));
  } catch {
    // The file exists, or SQLite reports the reason.
  }
  try {
    chmodSync(path, 0o600);
  } catch {
    // Another user owns the file, or it does not exist.
  }
}

function createTables(database: DatabaseSync, { rules, names, create }: RowTables): void {
  for (const table of [...names, 'about']) database.exec(`DROP TABLE IF EXISTS ${table}`);
  database.exec('CREATE TABLE about (rules TEXT NOT NULL)');
  database.exec(create);
  database.prepare('INSERT INTO about (rules) VALUES (?)').run(rules);
}

function rulesOf(database: DatabaseSync): unknown {
  const isThere = database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'about'").get();
  return isThere === undefined ? undefined : database.prepare('SELECT rules FROM about').get()?.['rules'];
}

function transact<T>(database: DatabaseSync, work: () => T): T {
  database.exec('BEGIN IMMEDIATE');
  try {
    const result = work();
    database.exec('COMMIT');
    return result;
  } catch (error) {
    // After some errors, such as a full disk, SQLite has already rolled back. Another attempt would hide the error.
    if (database.isTransaction) database.exec('ROLLBACK');
    throw error;
  }
}

/** Result code of SQLite for a full disk: https://www.sqlite.org/rescode.html#full. */
const SQLITE_FULL = 13;

function asAnalyticsError(error: unknown, path: string): unknown {
  if (!(error instanceof Error) || !('errcode' in error || 'code' in error)) return error;
  if (error instanceof AnalyticsError) return error;
  if (isHeldLock(error)) {
    const message = `${path} is being written by another process for more than ${BUSY_MS / 1000} s. End it, or try again.`;
    return new AnalyticsError('analytics/busy', message, { path }, error);
  }
  if ('errcode' in error && error.errcode === SQLITE_FULL) {
    const message = `${path} cannot be written, because the disk is full. Free space, then try again.`;
    return new AnalyticsError('analytics/full', message, { path }, error);
  }
  const message = `${path} cannot be used: ${error.message}. It contains only copies: remove it, and it is made again.`;
  return new AnalyticsError('analytics/unusable', message, { path }, error);
}
