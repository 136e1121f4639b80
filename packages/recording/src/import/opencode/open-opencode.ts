// Opens what OpenCode keeps: a database, of which one session is read, the file of one session in the folder of older
// versions, or an exported file.

import {
  databaseRows,
  folderRows,
  hasStoredSession,
  isDatabase,
  listStoredSessions,
  sessionFileId,
} from './stored-sessions.ts';
import type { StoredSession } from './stored-sessions.ts';
import { ImportError } from '../format/import-error.ts';
import { exportRows, isExport } from './export-rows.ts';

const SESSION = /^(.+)#(ses_[A-Za-z0-9]+)$/s;

/** Path of a database, with the session that is meant. */
export interface SessionPath {
  readonly file: string;
  readonly session?: string;
}

/** Splits a path such as `opencode.db#ses_1` into the path of the database and the id of the session. */
export function splitSessionPath(path: string): SessionPath {
  const [, file = path, session] = SESSION.exec(path) ?? [];
  return session === undefined ? { file: path } : { file, session };
}

/** Returns the path that names one session of a database. */
export function sessionPath(file: string, session: string): string {
  return `${file}#${session}`;
}

/**
 * Returns the function that reads the rows of a session, if a file that starts with `head` belongs to OpenCode. Returns
 * `undefined` for any other file. `read` reads the bytes of the file.
 *
 * @throws ImportError `import/several-sessions` for a database if `session` is absent; `import/missing` if the database
 *   does not contain the session; `import/unreadable`; `import/unrecognised`.
 */
export function openOpenCode(
  path: string,
  session: string | undefined,
  head: string,
  read: () => AsyncIterable<Uint8Array>,
): (() => AsyncIterable<Uint8Array>) | undefined {
  if (isDatabase(head)) {
    const id = chooseSession(path, session);
    return () => rowsOf(path, id);
  }
  if (isExport(head)) return () => exportRows(read());
  const id = sessionFileId(head);
  return id === undefined ? undefined : () => folderRows(path, id);
}

async function* rowsOf(path: string, session: string): AsyncGenerator<Uint8Array> {
  try {
    yield* databaseRows(path, session);
  } catch (error) {
    throw asImportError(path, error);
  }
}

/**
 * Returns the sessions in a database of OpenCode, the one with the latest change first.
 *
 * @throws ImportError `import/unreadable`; `import/unrecognised` for a database of another program.
 */
export function sessionsInDatabase(path: string): readonly StoredSession[] {
  const sessions = readSessions(path);
  if (sessions !== undefined) return sessions;
  const reason = 'a database without the tables of OpenCode';
  const message = `${path} is not a supported transcript: it is ${reason}. Use one transcript file.`;
  throw new ImportError('import/unrecognised', message, { source: path, reason });
}

function readSessions(path: string): readonly StoredSession[] | undefined {
  return tryRead(path, () => listStoredSessions(path));
}

function tryRead<T>(path: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw asImportError(path, error);
  }
}

function asImportError(path: string, error: unknown): unknown {
  if (!(error instanceof Error) || !('code' in error) || error.code !== 'ERR_SQLITE_ERROR') return error;
  const reason = `SQLite reports: ${error.message}`;
  const message = `${path} cannot be read. ${reason}. Export the session with \`opencode export\` and use the file.`;
  return new ImportError('import/unreadable', message, { source: path, reason }, error);
}

/** Number of sessions that an error lists. */
const SHOWN = 5;

function chooseSession(path: string, asked: string | undefined): string {
  if (asked !== undefined && tryRead(path, () => hasStoredSession(path, asked))) return asked;
  const sessions = sessionsInDatabase(path);
  const [only, ...others] = sessions;
  if (only === undefined)
    throw new ImportError('import/empty', `${path} is empty: it contains no session.`, { source: path });
  if (asked === undefined && others.length === 0) return only.id;
  const list = sessions
    .slice(0, SHOWN)
    .map(({ id, title }) => `\n  ${sessionPath(path, id)}${title === undefined ? '' : `  ${title}`}`)
    .join('');
  if (asked !== undefined) {
    const message = `${path} contains no session ${asked}. The latest sessions are:${list}`;
    throw new ImportError('import/missing', message, { source: path });
  }
  const message = `${path} contains ${sessions.length} sessions. Add \`#\` and the id of one session. The latest are:${list}`;
  throw new ImportError('import/several-sessions', message, { source: path });
}
