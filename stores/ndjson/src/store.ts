// Implements the Log port on the files of a home.

import { randomUUID } from 'node:crypto';
import { readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Folders } from '@tidemark/files';
import { readRegularFile } from '@tidemark/files';
import type { Log, SessionFilter, SessionId, SessionSummary, SharedTexts, UnreadableSession } from '@tidemark/log';
import { LogError, flatten, newestFirst, passes, sessionId, summaryOf, timestamp } from '@tidemark/log';
import { createArtifacts } from './artifacts.ts';
import { unlessGone } from './file-port.ts';
import type { Home, HomePaths, NdjsonOptions } from './home.ts';
import { openHome, roomPaths } from './home.ts';
import { heldSince } from './lease.ts';
import { createWriter, openWriter } from './open-writer.ts';
import { holdSession, receiveInto } from './raw-sessions.ts';
import { withLog } from './read-log.ts';
import { readSession } from './read-session.ts';
import { getSnapshot, putSnapshot } from './snapshots.ts';
import { tailSession } from './tail-session.ts';
import { createUndo } from './undo-files.ts';

/** A log store that uses files. */
export interface NdjsonStore extends Log {
  /** Absolute path of the home's folder, as `inspectSession` and `repairSession` need it. */
  readonly home: string;
}

/** Opens a home. The disk is not accessed before the first call of the store. */
export function openNdjsonStore(options: NdjsonOptions): NdjsonStore {
  const home = openHome(options);
  return {
    home: home.paths.home,
    create: (session, parent) => writable(home, session, createWriter(home, session, parent)),
    open: (session) => writable(home, session, openWriter(home, session)),
    isOpen: async (session) => heldSince(roomPaths(home.paths, session).lease) !== undefined,
    read: (session, from = 0, to = Infinity) => flatten(readSession(home, session, from, to)),
    tail: (session, from, signal) => flatten(tailSession(home, session, from, signal)),
    artifacts: createArtifacts(home.paths, home.folders),
    getSnapshot: (session, revision) => getSnapshot(home, session, revision),
    putSnapshot: (session, snapshot) => putSnapshot(home, session, snapshot),
    shared: createSharedTexts(home.paths, home.folders),
    raw: {
      hold: (session) => writable(home, session, holdSession(home, session)),
      receive: (session, parent) => writable(home, session, receiveInto(home, session, parent)),
    },
    ...(options.undoLimits !== false && { undo: createUndo(home, options.undoLimits) }),
    sessions: (filter = {}) => listSessions(home, filter),
  };
}

/**
 * Waits for a writer, or for another holder of the lock of a session.
 *
 * @throws LogError `log/write-failed` in place of an error of the operating system, such as `EACCES`.
 */
async function writable<T>(home: Home, session: SessionId, opening: Promise<T>): Promise<T> {
  try {
    return await opening;
  } catch (cause) {
    if (!(cause instanceof Error) || !('syscall' in cause)) throw cause;
    const folder = home.paths.home;
    const message = `Session ${session} cannot be written in ${folder}: ${cause.message}. Use a folder that this program can write.`;
    throw new LogError('log/write-failed', message, { session, path: folder }, cause);
  }
}

interface SessionList {
  readonly sessions: readonly SessionSummary[];
  readonly unreadable: readonly UnreadableSession[];
}

/** Number of session folders that are read at the same time. */
const AT_ONCE = 16;

async function listSessions(home: Home, filter: SessionFilter): Promise<SessionList> {
  const names = await sessionNames(home);
  const found: (SessionSummary | UnreadableSession | undefined)[] = [];
  for (let at = 0; at < names.length; at += AT_ONCE) {
    found.push(...(await Promise.all(names.slice(at, at + AT_ONCE).map((name) => look(home, name)))));
  }
  const sessions: SessionSummary[] = [];
  const unreadable: UnreadableSession[] = [];
  for (const one of found) {
    if (one === undefined) continue;
    if ('reason' in one) unreadable.push(one);
    else if (passes(one, filter)) sessions.push(one);
  }
  return { sessions: sessions.toSorted(newestFirst), unreadable };
}

async function sessionNames(home: Home): Promise<readonly string[]> {
  try {
    const entries = await readdir(home.paths.sessions, { withFileTypes: true });
    return entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw error;
  }
}

async function look(home: Home, name: string): Promise<SessionSummary | UnreadableSession | undefined> {
  try {
    return await withLog(home, sessionId(name), async ({ handle, beginning }) => {
      const { size, mtime } = await handle.stat();
      return summaryOf(beginning, { bytes: size, changedAt: timestamp(mtime.toISOString()) });
    });
  } catch (error) {
    const reason = isMissing(error) ? await lossOf(home, name) : error instanceof Error ? error.message : String(error);
    return reason === undefined ? undefined : { session: name, reason };
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof LogError && error.code === 'log/missing';
}

/**
 * Returns the reason why a session folder has no record. Returns `undefined` if the folder has an empty log and no
 * snapshot, because that session has not begun yet.
 */
async function lossOf(home: Home, name: string): Promise<string | undefined> {
  const { log, snapshot } = roomPaths(home.paths, sessionId(name));
  if ((await stat(log).catch(unlessGone)) === undefined) return `its log is missing: there is no ${log}`;
  if ((await stat(snapshot).catch(unlessGone)) === undefined) return undefined;
  return `its records are missing: ${log} contains none, but its snapshot shows that there were records`;
}

// Texts that the sessions of a home share. They are derived data, so a lost or truncated text does no harm (L9). They
// are not flushed, and a reader takes no lock.

/** Largest text that is read, in bytes. */
const MAX_BYTES = 16 * 1_024 * 1_024;

function createSharedTexts({ shared }: HomePaths, folders: Folders): SharedTexts {
  return {
    async get(name) {
      const bytes = await readRegularFile(join(shared, name), { most: MAX_BYTES }).catch(() => undefined);
      return bytes?.toString('utf8');
    },
    async put(name, text) {
      await folders.make(shared);
      const temporary = join(shared, `.incoming-${randomUUID()}`);
      try {
        await writeFile(temporary, text, { flag: 'wx', mode: 0o600 });
        await rename(temporary, join(shared, name));
      } catch (error) {
        await rm(temporary, { force: true });
        throw error;
      }
    },
  };
}
