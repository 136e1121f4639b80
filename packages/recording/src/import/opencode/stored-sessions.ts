// Reads sessions of OpenCode from where the client keeps them: the SQLite database of versions since 1.2, and the folder
// of JSON files of older versions. Nothing is written. Each session is read as rows, one per line.

import { readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { DatabaseSync, SQLOutputValue } from 'node:sqlite';
import { defined } from '@tidemark/core';
import { FileError, openDatabaseReadOnly, readRegularFile } from '@tidemark/files';
import type { Json } from '@tidemark/log';
import { objectOf } from '../file/fields.ts';
import { readRecords } from '../file/read-records.ts';
import { printRowText } from './export-rows.ts';
import { openCodeTitle, printOpenCodeRow } from './opencode-row.ts';

/** Session in a database of OpenCode. */
export interface StoredSession {
  readonly id: string;
  readonly title?: string;
  /** Size of its messages and parts, in bytes. */
  readonly bytes: number;
  /** Time of its last change, in milliseconds since the Unix epoch. */
  readonly modified: number;
}

/** First bytes of a SQLite database. */
const SQLITE = 'SQLite format 3\0';

/** True if a file starts like a SQLite database. */
export function isDatabase(start: string): boolean {
  return start.startsWith(SQLITE);
}

/**
 * Returns the sessions with messages in a database of OpenCode, the one with the latest change first. Returns `undefined`
 * if the database has no tables of OpenCode.
 *
 * @throws the error of SQLite if the file is no database or cannot be read.
 */
export function listStoredSessions(path: string): readonly StoredSession[] | undefined {
  using database = openDatabaseReadOnly(path, WAIT_MS);
  if (!isOpenCode(database)) return undefined;
  const rows = database.prepare(`
    SELECT session.id AS id, title, time_updated AS modified, bytes FROM session JOIN (
      SELECT session_id, sum(octet_length(data)) AS bytes FROM (
        SELECT session_id, data FROM message UNION ALL SELECT session_id, data FROM part
      ) GROUP BY session_id
    ) ON session_id = session.id ORDER BY time_updated DESC, session.id`);
  return rows.all().map((row) => ({
    id: textIn(row['id']),
    bytes: Number(row['bytes']),
    modified: Number(row['modified']),
    ...defined({ title: openCodeTitle({ title: asJson(row['title']) }) }),
  }));
}

/**
 * True if a database of OpenCode contains a session. Does not read the sizes of all sessions.
 *
 * @throws the error of SQLite if the file is no database or cannot be read.
 */
export function hasStoredSession(path: string, session: string): boolean {
  using database = openDatabaseReadOnly(path, WAIT_MS);
  if (!isOpenCode(database)) return false;
  return database.prepare('SELECT 1 FROM session WHERE id = ?').get(session) !== undefined;
}

/** Time to wait for the lock of a running client, in milliseconds. */
const WAIT_MS = 5_000;

function isOpenCode(database: DatabaseSync): boolean {
  const tables = database.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all();
  const names = new Set(tables.map(({ name }) => name));
  return ['session', 'message', 'part'].every((name) => names.has(name));
}

function textIn(value: SQLOutputValue | undefined): string {
  return typeof value === 'string' ? value : '';
}

function asJson(value: SQLOutputValue | undefined): Json | undefined {
  return typeof value === 'string' || typeof value === 'number' ? value : undefined;
}

/** Number of characters after which rows are passed on. */
const BATCH = 256 * 1024;

/**
 * Yields the rows of one session of a database. All rows are of one moment, also if the client writes at the same time.
 *
 * @throws the error of SQLite if the database cannot be read.
 */
export function* databaseRows(path: string, session: string): Generator<Uint8Array> {
  using database = openDatabaseReadOnly(path, WAIT_MS);
  database.exec('BEGIN');
  const messages = database.prepare('SELECT id, data FROM message WHERE session_id = ? ORDER BY time_created, id');
  const parts = database.prepare('SELECT id, data FROM part WHERE message_id = ? ORDER BY id');
  let lines = sessionLine(database, session);
  for (const row of messages.iterate(session)) {
    const message = textIn(row['id']);
    lines += rowLine({ id: message, sessionID: session }, row['data']);
    for (const { id, data } of parts.iterate(message)) {
      lines += rowLine({ id: textIn(id), sessionID: session, messageID: message }, data);
      if (lines.length < BATCH) continue;
      yield Buffer.from(lines);
      lines = '';
    }
  }
  if (lines !== '') yield Buffer.from(lines);
}

function sessionLine(database: DatabaseSync, session: string): string {
  const row = database.prepare('SELECT * FROM session WHERE id = ?').get(session) ?? {};
  const value = defined({
    id: session,
    parentID: asJson(row['parent_id']),
    projectID: asJson(row['project_id']),
    directory: asJson(row['directory']),
    title: asJson(row['title']),
    version: asJson(row['version']),
    time: defined({ created: asJson(row['time_created']) }),
  });
  return `${printOpenCodeRow(value)}\n`;
}

// The ids of a row are in columns of their own.
function rowLine(ids: Readonly<Record<string, string>>, data: SQLOutputValue | undefined): string {
  const text = textIn(data);
  const [record, ...others] = readRecords(text).records;
  if (record === undefined || others.length > 0 || record.text !== text) return `${printRowText(text)}\n`;
  return `${printOpenCodeRow({ ...objectOf(record.value), ...ids })}\n`;
}

const SESSION_FILE = /^\s*\{\s*"id"\s*:\s*"(ses_[A-Za-z0-9]+)"/;

/** Returns the id of the session whose file starts with this text, or `undefined` for another file. */
export function sessionFileId(start: string): string | undefined {
  return SESSION_FILE.exec(start)?.[1];
}

/** Maximum size of a file with one row, in bytes. */
const MOST = 64 * 1024 * 1024;

/**
 * Yields the rows of a session of an older version. `path` is the file of the session, `storage/session/<project>/<id>.json`.
 * The messages are in `storage/message/<id>`, and the parts in `storage/part/<message>`.
 */
export async function* folderRows(path: string, session: string): AsyncGenerator<Uint8Array> {
  const storage = dirname(dirname(dirname(path)));
  yield await fileLine(path);
  const messages = join(storage, 'message', session);
  for (const message of await namesIn(messages)) {
    yield await fileLine(join(messages, message));
    const parts = join(storage, 'part', message.replace(/\.json$/, ''));
    for (const part of await namesIn(parts)) yield await fileLine(join(parts, part));
  }
}

async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    return (await readdir(folder)).filter((name) => name.endsWith('.json')).toSorted();
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw error;
  }
}

// A file that cannot be read becomes a line that is not JSON, so that the import reports it.
async function fileLine(path: string): Promise<Uint8Array> {
  try {
    const bytes = await readRegularFile(path, { most: MOST });
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return Buffer.from(`${printRowText(text)}\n`);
  } catch (error) {
    if (error instanceof TypeError) return Buffer.from(`the file ${path} is not UTF-8 text\n`);
    if (error instanceof FileError || (error instanceof Error && 'code' in error && error.code === 'ENOENT'))
      return Buffer.from(`the file ${path} cannot be read\n`);
    throw error;
  }
}
