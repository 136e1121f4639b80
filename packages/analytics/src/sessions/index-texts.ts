// Brings the index of texts up to date with the rows of the sessions. It is separate from the update of the rows, so
// that only a person who searches pays for it. Many short sessions are written together, which is faster.

import type { Log } from '@tidemark/log';
import { LogError, sessionId } from '@tidemark/log';
import type { RowDatabase } from '../database/open-rows.ts';
import { numberIn, textIn } from '../database/sql-value.ts';
import type { TextEntry } from './record-texts.ts';
import { recordTexts } from './record-texts.ts';
import type { SessionFacts } from './session-rows.ts';
import type { SessionUpdateOptions } from './session-projection.ts';
import { POSITION_BITS } from './session-tables.ts';

/** Rows of texts that are written together. */
const ROWS_AT_ONCE = 4_000;

/** Session with records whose texts are not in the index. */
interface UnindexedSession {
  readonly key: number;
  readonly id: string;
  /** Chain value of the last record in the rows. */
  readonly chain: string;
  /** First and last record to read. `to` is not read. */
  readonly from: number;
  readonly to: number;
  readonly imported: boolean;
}

/** Texts of a part of a session, up to the record `to`. */
interface IndexedPart {
  readonly session: UnindexedSession;
  readonly to: number;
  readonly texts: readonly TextEntry[];
}

/**
 * Adds the texts of the records that are in the rows. If a log cannot be read to its end, the next search tries to read
 * the rest, and the update of the rows reports the reason.
 *
 * @throws AnalyticsError if the database cannot be read or written.
 */
export async function indexTexts(
  rows: RowDatabase,
  log: Log,
  { signal, onProgress }: Omit<SessionUpdateOptions, 'sessions'>,
): Promise<void> {
  const due = unindexedSessions(rows);
  let parts: IndexedPart[] = [];
  let [sessionsRead, recordsRead, held] = [0, 0, 0];
  const write = (): void => {
    writeTexts(rows, parts);
    [parts, held] = [[], 0];
  };
  for (const session of due) {
    onProgress?.({ sessions: due.length, sessionsRead, recordsRead });
    if (signal?.aborted === true) break;
    for await (const part of readTexts(log, session)) {
      parts.push(part);
      held += 1 + part.texts.length;
      if (held >= ROWS_AT_ONCE) write();
    }
    sessionsRead += 1;
    recordsRead += session.to - session.from;
  }
  write();
  onProgress?.({ sessions: due.length, sessionsRead, recordsRead });
}

function unindexedSessions(rows: RowDatabase): readonly UnindexedSession[] {
  return rows.query(UNINDEXED).map((row) => {
    const { created }: SessionFacts = JSON.parse(textIn(row['facts']));
    // A fork begins with the records of its ancestors, which are theirs.
    const own = created.parent === undefined ? 0 : created.parent.position + 1;
    return {
      key: numberIn(row['key']),
      id: textIn(row['id']),
      chain: textIn(row['chain']),
      from: Math.max(own, numberIn(row['indexed'])),
      to: numberIn(row['length']),
      imported: created.imported !== undefined,
    };
  });
}

const UNINDEXED = `SELECT key, id, chain, facts, session.length AS length, coalesce(text_place.length, 0) AS indexed
  FROM session LEFT JOIN text_place ON text_place.session = session.key
  WHERE facts IS NOT NULL AND coalesce(text_place.length, 0) < session.length ORDER BY changed_at DESC`;

async function* readTexts(log: Log, session: UnindexedSession): AsyncGenerator<IndexedPart> {
  let texts: TextEntry[] = [];
  let to = session.from;
  try {
    for await (const record of log.read(sessionId(session.id), session.from, session.to)) {
      to = record.position + 1;
      const found = recordTexts(record, session.imported);
      if (found !== undefined) texts.push({ position: record.position, ...found });
      if (texts.length < ROWS_AT_ONCE) continue;
      yield { session, to, texts };
      texts = [];
    }
  } catch (error) {
    if (!(error instanceof LogError)) throw error;
  }
  yield { session, to, texts };
}

function writeTexts(rows: RowDatabase, parts: readonly IndexedPart[]): void {
  const { database, transact } = rows;
  if (parts.length === 0) return;
  transact(() => {
    // Another process may have read the session again from its start, and then its earlier texts are gone.
    const unchanged = database.prepare('SELECT 1 FROM session WHERE key = ? AND chain = ?');
    const insert = database.prepare(
      'INSERT OR REPLACE INTO text (rowid, title, prompt, answer, files) VALUES (?, ?, ?, ?, ?)',
    );
    const move = database.prepare('INSERT OR REPLACE INTO text_place (session, length) VALUES (?, ?)');
    for (const { session, to, texts } of parts) {
      if (unchanged.get(session.key, session.chain) === undefined) continue;
      for (const { position, title, prompt, answer, files } of texts)
        insert.run(firstText(session.key) + BigInt(position), title, prompt, answer, files);
      move.run(session.key, to);
    }
  });
}

/** Returns the smallest identity of the texts of a session. */
function firstText(key: number): bigint {
  return BigInt(key) << BigInt(POSITION_BITS);
}

/** Removes the texts of a session from the index. */
export function removeTexts({ database }: Pick<RowDatabase, 'database'>, key: number): void {
  database.prepare('DELETE FROM text WHERE rowid >= ? AND rowid < ?').run(firstText(key), firstText(key + 1));
  database.prepare('DELETE FROM text_place WHERE session = ?').run(key);
}
