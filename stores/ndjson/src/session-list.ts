// The sessions of a home, each by its first record alone.

import { readdir, stat } from 'node:fs/promises';
import { LogError, newestFirst, passes, sessionId, summaryOf, timestamp } from '@tidemark/log';
import type { SessionFilter, SessionSummary, UnreadableSession } from '@tidemark/log';
import { unlessGone } from './file-errors.ts';
import type { Home } from './home.ts';
import { roomPaths } from './paths.ts';
import { withLog } from './read-log.ts';

/** What a list holds. */
export interface SessionList {
  readonly sessions: readonly SessionSummary[];
  readonly unreadable: readonly UnreadableSession[];
}

/** Folders are looked at this many at a time. */
const AT_ONCE = 16;

/** All sessions that pass, newest first; those that cannot be read are named beside them. */
export async function listSessions(home: Home, filter: SessionFilter): Promise<SessionList> {
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

/** A home that was never written to has no sessions. */
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

/** What a room without a record has lost; nothing where it has an empty file and no more: no session yet. */
async function lossOf(home: Home, name: string): Promise<string | undefined> {
  const { log, snapshot } = roomPaths(home.paths, sessionId(name));
  if ((await stat(log).catch(unlessGone)) === undefined) return `its log is gone: there is no ${log}`;
  if ((await stat(snapshot).catch(unlessGone)) === undefined) return undefined;
  return `its records are gone: there is none in ${log}, and its snapshot says that there were`;
}
