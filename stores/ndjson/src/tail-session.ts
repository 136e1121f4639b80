// Yields the records of a session, and new records as they are appended.

import type { FSWatcher } from 'node:fs';
import { watch } from 'node:fs';
import type { AbortSignalLike, Recorded, SessionId } from '@tidemark/log';
import { LogError, readLineage } from '@tidemark/log';
import type { Home } from './home.ts';
import type { LogPlace, OpenLog } from './read-log.ts';
import { missing, openLog, placeNear, readOn, readOwn, tipEndingAt } from './read-log.ts';
import { lineage } from './read-session.ts';

/** Yields the records from `from` in batches, then new records as they arrive, until the signal aborts. */
export async function* tailSession(
  home: Home,
  session: SessionId,
  from: number,
  signal: AbortSignalLike,
): AsyncGenerator<readonly Recorded[]> {
  const origins = await lineage(home, session);
  const log = await openLog(home, session);
  const growth = watchGrowth(log.path, signal);
  try {
    yield* readLineage(origins, from, log.beginning.start, (name, first, end) => readOwn(home, name, first, end));
    let place = await placeNear(home, log, from);
    while (!signal.aborted) {
      place = yield* follow(home, log, place, from);
      // An open file can still be read after it was deleted, but it does not grow any more.
      if ((await log.handle.stat()).nlink === 0) throw missing(session, log.path);
      await growth.next();
    }
  } finally {
    growth.stop();
    await log.handle.close();
  }
}

async function* follow(
  home: Home,
  log: OpenLog,
  place: LogPlace,
  from: number,
): AsyncGenerator<readonly Recorded[], LogPlace> {
  const what = { from, to: Infinity, verifyChain: place.offset > 0 };
  try {
    const end = yield* readOn(home, log, place, what);
    if (await standsStill(log, place)) return end;
  } catch (error) {
    if (await standsStill(log, place)) throw error;
  }
  const message = `${log.path} became shorter while it was read: a failed write was undone. Read it again from a position before ${place.tip.length}.`;
  throw new LogError('log/moved', message, {
    session: log.beginning.session,
    path: log.path,
    length: place.tip.length,
  });
}

/**
 * True if the file still contains the record that ends at this place. A failed write is undone, so the file can become
 * shorter during a read.
 */
async function standsStill(log: OpenLog, { tip, offset }: LogPlace): Promise<boolean> {
  return offset === 0 || (await tipEndingAt(log.handle, offset))?.chain === tip.chain;
}

interface FileGrowth {
  /**
   * Resolves when the file has changed since the last call resolved, after `LOOK` milliseconds, or when the signal
   * aborts.
   */
  next(): Promise<void>;
  stop(): void;
}

/**
 * Maximum time between two checks, in milliseconds. Checks are needed because file watching is only a hint, and some
 * file systems do not support it.
 */
const LOOK = 250;

function watchGrowth(path: string, signal: AbortSignalLike): FileGrowth {
  let changed = false;
  let wake: (() => void) | undefined;
  const notice = (): void => {
    changed = true;
    wake?.();
  };
  const watcher = tryWatch(path, notice);
  signal.addEventListener('abort', notice);
  return {
    next: () =>
      new Promise((resolve) => {
        const timer = setTimeout(notice, LOOK);
        wake = () => {
          clearTimeout(timer);
          wake = undefined;
          changed = false;
          resolve();
        };
        if (changed || signal.aborted) wake();
      }),
    stop() {
      watcher?.close();
      signal.removeEventListener('abort', notice);
    },
  };
}

function tryWatch(path: string, notice: () => void): FSWatcher | undefined {
  try {
    const watcher = watch(path, notice);
    watcher.on('error', () => watcher.close());
    return watcher;
  } catch {
    return undefined;
  }
}
