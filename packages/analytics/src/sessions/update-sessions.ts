// Brings the rows of sessions up to date with their logs. Only sessions that changed are opened, and only their new
// records are read.

import { defined } from '@tidemark/core';
import type { RowLoader } from '@tidemark/agent';
import { createRowLoader } from '@tidemark/agent';
import type { RowOf } from '@tidemark/context';
import type { Log, SessionId } from '@tidemark/log';
import { LogError } from '@tidemark/log';
import { AnalyticsError } from '../database/analytics-error.ts';
import type { SessionReading } from './read-session.ts';
import { readSessionRows } from './read-session.ts';
import type { ReadingEnd, RowsPlace, RowStore } from './row-store.ts';
import type { SessionProblem, SessionsUpdated, SessionUpdateOptions } from './session-projection.ts';
import type { LogTip } from './session-rows.ts';

/** Sources of the rows. */
export interface SessionSource {
  readonly log: Log;
  /** Returns the catalog row of a model. It is used if a log contains no row, for example an imported log. */
  readonly rowOf: RowOf;
}

/** Session to read, with the mark of its file. */
interface Due {
  readonly session: SessionId;
  readonly stamp: string | undefined;
}

/** Number of calls after which rows are written, so that the memory does not grow with the session. */
const CALLS_AT_ONCE = 2_000;

/** Maximum number of readings of a session that other processes write into the same database at the same time. */
const MAX_TRIES = 10;

/**
 * Reads the sessions that are new or have changed.
 *
 * @throws AnalyticsError if the database cannot be read or written, LogError if the sessions cannot be listed.
 */
export async function updateSessions(
  store: RowStore,
  source: SessionSource,
  options: SessionUpdateOptions = {},
): Promise<SessionsUpdated> {
  const { sessions, signal, onProgress } = options;
  const loadRow = createRowLoader(source.log.artifacts);
  const problems: SessionProblem[] = [];
  const { due, gone } = sessions === undefined ? await findDue(store, source.log, problems) : asked(sessions);
  let [sessionsRead, recordsRead, removed] = [0, 0, 0];
  for (const session of gone) await store.remove(session);
  removed += gone.length;
  for (const one of due) {
    onProgress?.({ sessions: due.length, sessionsRead, recordsRead });
    if (signal?.aborted === true) break;
    const read = await readOne({ ...source, store, loadRow, due: one, signal });
    recordsRead += read.records;
    sessionsRead += 1;
    if (read.isGone) removed += 1;
    if (read.problem !== undefined) problems.push({ session: one.session, reason: read.problem });
  }
  onProgress?.({ sessions: due.length, sessionsRead, recordsRead });
  return { sessionsRead, recordsRead, removed, problems };
}

function asked(sessions: readonly SessionId[]): { readonly due: readonly Due[]; readonly gone: readonly string[] } {
  return { due: sessions.map((session) => ({ session, stamp: undefined })), gone: [] };
}

/** Compares the sessions of the store with the rows. Adds the sessions that the store cannot list to `problems`. */
async function findDue(
  store: RowStore,
  log: Log,
  problems: SessionProblem[],
): Promise<{ readonly due: readonly Due[]; readonly gone: readonly string[] }> {
  // The rows are listed first. A session that another process adds in between is then not taken for a deleted one.
  const known = await store.known();
  const { sessions, unreadable } = await log.sessions();
  const there = new Set<string>(unreadable.map(({ session }) => session));
  const due: Due[] = [];
  for (const { session, changedAt, bytes } of sessions) {
    there.add(session);
    const stamp = changedAt === undefined || bytes === undefined ? undefined : `${changedAt} ${bytes}`;
    const before = known.get(session);
    if (stamp === undefined || before?.stamp !== stamp) due.push({ session, stamp });
    else if (before.problem !== undefined) problems.push({ session, reason: before.problem });
  }
  for (const { session, reason } of unreadable) {
    problems.push({ session, reason });
    const before = known.get(session);
    if (before !== undefined && before.problem !== reason)
      await store.end(session, { stamp: undefined, problem: reason });
  }
  return { due, gone: [...known.keys()].filter((session) => !there.has(session)) };
}

/** Result of the reading of one session. */
interface ReadOne {
  readonly records: number;
  readonly problem?: string;
  /** True if the session does not exist any more. */
  readonly isGone?: boolean;
}

/** One attempt to read a session. */
interface Attempt extends SessionSource {
  readonly store: RowStore;
  readonly loadRow: RowLoader;
  readonly due: Due;
  readonly signal: AbortSignal | undefined;
  /** Place of the rows that are there. */
  readonly known: RowsPlace | undefined;
  /** True to read the session from its start, although it has rows. */
  readonly restart: boolean;
}

/**
 * Result of an attempt. `restart`: the rows are not those of the log. `moved`: another process has written the rows.
 */
type Attempted = ReadOne | 'restart' | 'moved';

async function readOne(options: Omit<Attempt, 'known' | 'restart'>): Promise<ReadOne> {
  const { store, due } = options;
  let restart = false;
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const known = await store.place(due.session);
    const attempted = await attempt({ ...options, known, restart });
    if (typeof attempted === 'object') return attempted;
    restart = attempted === 'restart';
  }
  return { records: 0, problem: 'other processes changed the rows of the session during each reading' };
}

async function attempt(options: Attempt): Promise<Attempted> {
  const { store, due, known, restart } = options;
  const writer = createPartWriter(options);
  try {
    const outcome = await readRecords(options, writer);
    if (outcome === 'restart' || outcome === 'moved') return outcome;
    // A reading that was stopped has no end, so the next update continues it.
    const isWritten = outcome === 'stopped' || (await writer.write({ stamp: due.stamp, problem: undefined }));
    return isWritten ? { records: writer.records } : 'moved';
  } catch (error) {
    if (error instanceof AnalyticsError || !(error instanceof Error)) throw error;
    if (error instanceof LogError && error.code === 'log/missing') {
      await store.remove(due.session);
      return { records: 0, isGone: true };
    }
    // The records before the damage are valid. A session that was read from its start again keeps its earlier rows.
    const end = { stamp: due.stamp, problem: error.message };
    if (restart && known !== undefined) await store.end(due.session, end);
    else if (!(await writer.write(end))) return 'moved';
    return { records: writer.records, problem: error.message };
  }
}

/** Takes records and writes their rows. */
interface PartWriter {
  readonly reading: SessionReading;
  /** Number of records that were taken. */
  records: number;
  /**
   * Writes the rows of the records since the last write. `end` is absent if the reading continues. Returns false if
   * another process has written the session.
   */
  write(end?: ReadingEnd): Promise<boolean>;
}

function createPartWriter({ store, due, known, restart, ...source }: Attempt): PartWriter {
  const from = restart ? undefined : known;
  const reading = readSessionRows(source.log, due.session, { ...source, from });
  let before: LogTip | undefined = known;
  let isFirst = restart;
  let written = 0;
  const writer: PartWriter = {
    reading,
    records: 0,
    async write(end) {
      const part = writer.records === written ? undefined : reading.part();
      if (part === undefined) {
        if (end !== undefined) await store.end(due.session, end);
        return true;
      }
      const rows = { session: due.session, before, restart: isFirst, ...part, ...defined({ end }) };
      const isWritten = await store.write(rows);
      [before, isFirst, written] = [part.after, false, writer.records];
      return isWritten;
    },
  };
  return writer;
}

/** Reads the new records, and writes the rows of a long session in parts. */
async function readRecords(
  options: Attempt,
  writer: PartWriter,
): Promise<'read' | 'stopped' | Exclude<Attempted, ReadOne>> {
  const { log, due, known, restart, signal } = options;
  const isContinued = known !== undefined && !restart;
  let isFitting = !isContinued;
  // The last record that was read shows by its chain value that the records before it are the same.
  for await (const record of log.read(due.session, isContinued ? known.length - 1 : 0)) {
    if (!isFitting) {
      if (record.chain !== known?.chain) return 'restart';
      isFitting = true;
      continue;
    }
    if (isContinued && known.state === undefined) return 'restart';
    const loading = writer.reading.take(record);
    if (loading !== undefined) await loading;
    writer.records += 1;
    // A session that is read again keeps its earlier rows until all of it is read.
    if (restart || writer.reading.calls < CALLS_AT_ONCE) continue;
    if (!(await writer.write())) return 'moved';
    if (signal?.aborted === true) return 'stopped';
  }
  return isFitting ? 'read' : 'restart';
}
