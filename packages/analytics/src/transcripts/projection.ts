// Rows of calls in a database of SQLite. The rows are a projection: everything in them can be read again from the
// transcripts, so a database of another version is emptied. The audit and, later, the server read the same rows.

import type { DatabaseSync } from 'node:sqlite';
import type { BilledIn } from '@tidemark/log';
import type { BilledEntry } from './billed-entries.ts';
import {
  BILLED_TABLE,
  entriesHold,
  findBilled,
  forgetRemoved,
  markDependents,
  oldEntries,
  writeEntries,
} from './billed-entries.ts';
import type { CallRow } from './call-row.ts';
import { CALL_COLUMNS } from './call-row.ts';
import type { FoundTranscript } from './find-transcripts.ts';
import type { RowDatabase } from '../database/open-rows.ts';
import { openRows } from '../database/open-rows.ts';
import type { SqlRow, SqlValue } from '../database/sql-value.ts';
import { declareColumns, namesOfColumns } from '../database/table-column.ts';
import type { ReadSession } from './read-calls.ts';

/** Version of the tables and of the rules by which rows are made. Increase it when either changes. */
const VERSION = 3;

/** Transcript as it was read last. */
export interface ReadSource {
  readonly bytes: number;
  readonly modified: number;
}

/** Rows of one transcript. */
export interface SourceRows {
  readonly transcript: FoundTranscript;
  readonly format: string;
  readonly sessions: readonly ReadSession[];
  readonly calls: readonly CallRow[];
  /** Calls of this transcript, by identity. */
  readonly billed: ReadonlyMap<string, BilledEntry>;
  /** Value of `Projection.version()` before the transcript was read. */
  readonly version: number;
  readonly skipped: number;
  /** Reason why the transcript could not be read. Its earlier rows are kept. */
  readonly problem?: string;
}

/** Open database of calls. Close it after use. */
export interface Projection {
  /** Returns a transcript as it was read last, or `undefined` if it has to be read. */
  source(path: string): ReadSource | undefined;
  /** Number that changes when another connection changes the rows. */
  version(): number;
  /** Returns the record of another transcript that bills a call. `path` is the transcript that is being read. */
  billedBy(identity: string, path: string): BilledIn | undefined;
  /**
   * Replaces all rows of a transcript at once. If there is a problem, keeps the earlier rows and records the problem.
   * Transcripts whose rows depend on calls that this one no longer has must be read again. Returns false and writes
   * nothing if another process has changed what `billedBy` returned, so that this transcript must be read again.
   */
  write(rows: SourceRows): boolean;
  /**
   * Takes the paths of all transcripts on the machine. Removes a removed transcript whose calls are all in others,
   * such as a renamed one. Returns true if others must be read again because of that.
   */
  forget(found: ReadonlySet<string>): boolean;
  /** Returns a text that was kept under a key, or `undefined`. */
  recall(key: string): string | undefined;
  /** Keeps a text under a key. Only the latest 100 texts are kept. */
  keep(key: string, text: string): void;
  /** Runs a query and returns its rows. */
  query(sql: string, values?: Readonly<Record<string, SqlValue>>): readonly SqlRow[];
  close(): void;
}

/**
 * Opens the database at a path, or in memory without one. `rules` names everything outside of the transcripts that the
 * rows depend on, such as the digest of the catalog. A database with other rules or another version is emptied. A file
 * that is no database of this package is not changed.
 *
 * @throws AnalyticsError `analytics/busy` if another process writes for 30 seconds, `analytics/unusable` if the file
 *   cannot be opened, read or written. The functions of the projection throw the same errors.
 */
export function openProjection(path: string | undefined, rules: string): Projection {
  return createProjection(openRows(path, { rules: `${VERSION} ${rules}`, names: NAMES, create: TABLES }));
}

const NAMES = ['kept', 'billed', 'call', 'session', 'source'];

const TABLES = `
CREATE TABLE source (
  id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, agent TEXT NOT NULL, format TEXT, bytes INTEGER NOT NULL,
  modified INTEGER NOT NULL, skipped INTEGER NOT NULL, problem TEXT
);
CREATE TABLE session (
  source INTEGER NOT NULL REFERENCES source ON DELETE CASCADE, id TEXT NOT NULL, parent TEXT, project TEXT NOT NULL,
  title TEXT, PRIMARY KEY (source, id)
) WITHOUT ROWID;
CREATE TABLE call (
  source INTEGER NOT NULL REFERENCES source ON DELETE CASCADE,
  ${declareColumns(CALL_COLUMNS)}
);
CREATE INDEX call_by_source ON call (source, session);
CREATE INDEX call_by_day ON call (day);
CREATE TABLE kept (id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, text TEXT NOT NULL);
${BILLED_TABLE}`;

function createProjection(rows: RowDatabase): Projection {
  const { database, guard, transact } = rows;
  const billedBy = findBilled(database);
  const source = database.prepare('SELECT bytes, modified FROM source WHERE path = ?');
  const version = (): number => Number(database.prepare('PRAGMA data_version').get()?.['data_version']);
  return {
    source: (of) => guard(() => readSource(source.get(of))),
    version: () => guard(version),
    billedBy: (identity, by) => guard(() => billedBy(identity, by)),
    write: (read) =>
      transact(() => {
        if (read.problem !== undefined) return noteProblem(database, read);
        const holds = version() === read.version || entriesHold(read.billed, read.transcript.path, billedBy);
        if (holds) replace(database, read);
        return holds;
      }),
    forget: (found) => transact(() => forgetRemoved(database, found)),
    recall: (key) =>
      guard(() => {
        const row = database.prepare('SELECT text FROM kept WHERE key = ?').get(key);
        return row && String(row['text']);
      }),
    keep: (key, value) =>
      transact(() => {
        database.prepare('INSERT OR REPLACE INTO kept (key, text) VALUES (?, ?)').run(key, value);
        database.exec('DELETE FROM kept WHERE id NOT IN (SELECT id FROM kept ORDER BY id DESC LIMIT 100)');
      }),
    query: (sql, values) => rows.query(sql, values),
    close: () => rows.close(),
  };
}

function readSource(row: Readonly<Record<string, unknown>> | undefined): ReadSource | undefined {
  return row && { bytes: Number(row['bytes']), modified: Number(row['modified']) };
}

function replace(database: DatabaseSync, rows: SourceRows): void {
  const { transcript, format, sessions, calls, billed, skipped } = rows;
  const { path, agent, bytes, modified } = transcript;
  const before = oldEntries(database, path);
  database.prepare('DELETE FROM source WHERE path = ?').run(path);
  const added = database
    .prepare('INSERT INTO source (path, agent, format, bytes, modified, skipped) VALUES (?, ?, ?, ?, ?, ?)')
    .run(path, agent, format, bytes, modified, skipped);
  const source = Number(added.lastInsertRowid);
  const session = database.prepare('INSERT INTO session (source, id, parent, project, title) VALUES (?, ?, ?, ?, ?)');
  for (const one of sessions) session.run(source, one.session, one.parent ?? null, one.workspace, one.title ?? null);
  const call = database.prepare(INSERT_CALL);
  for (const one of calls) call.run(source, ...CALL_COLUMNS.map(({ value }) => value(one)));
  markDependents(database, source, before, writeEntries(database, source, billed));
}

const INSERT_CALL = `INSERT INTO call (source, ${namesOfColumns(CALL_COLUMNS)})
  VALUES (?, ${CALL_COLUMNS.map(() => '?').join(', ')})`;

/** Records that a transcript could not be read in its present state, so that it is not read again until it changes. */
function noteProblem(database: DatabaseSync, { transcript, problem = '' }: SourceRows): true {
  const { path, agent, bytes, modified } = transcript;
  database
    .prepare(
      `INSERT INTO source (path, agent, bytes, modified, skipped, problem) VALUES (?, ?, ?, ?, 0, ?)
      ON CONFLICT (path) DO UPDATE SET bytes = excluded.bytes, modified = excluded.modified, problem = excluded.problem`,
    )
    .run(path, agent, bytes, modified, problem);
  return true;
}
