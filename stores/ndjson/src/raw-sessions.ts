// Implements the raw part of the Log port on the files of a home: the bytes of sessions, for moving them.
//
// The records of a new session are received in `log.ndjson.incoming`, next to an empty log. The last step renames it.

import { randomUUID } from 'node:crypto';
import { rename, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { flushFolder, nodeBytes } from '@tidemark/files';
import type {
  LockedSession,
  LineRange,
  LogErrorCode,
  Parent,
  RawLines,
  ReceivedSession,
  ReceiverStorage,
  SessionBeginning,
  SessionId,
} from '@tidemark/log';
import { LogError, isSameParent, otherParent, readLines, receiveSession } from '@tidemark/log';
import { openFile, unlessGone } from './file-port.ts';
import type { LogFile } from './file-port.ts';
import type { Home, RoomPaths } from './home.ts';
import { roomPaths } from './home.ts';
import type { Lease } from './lease.ts';
import { INCOMING, flushParent, holding } from './open-writer.ts';
import { begin, chunksOf } from './read-log.ts';
import { forkTip } from './read-session.ts';

/** Takes the lock of a session to copy its records. */
export async function holdSession(home: Home, session: SessionId): Promise<LockedSession> {
  const { start, record } = await begin(home, session);
  const { parent } = record.data;
  const room = roomPaths(home.paths, session);
  return holding(home, session, room, async (lease) => {
    await begin(home, session);
    await flushLog(home, session, room);
    let isReleased = false;
    return {
      session,
      parent,
      start,
      lines: (from = start) => linesOf({ path: room.log, parent, from }),
      remove: () => removeSession(home, session, room),
      async close() {
        if (!isReleased) lease.release();
        isReleased = true;
      },
    };
  });
}

async function flushLog(home: Home, session: SessionId, { log }: RoomPaths): Promise<void> {
  const file = await home.files.openLog(log, false);
  try {
    await file.flush();
  } catch (cause) {
    throw fault('log/flush-failed', session, log, 'could not be flushed', cause);
  } finally {
    await file.close();
  }
}

async function* linesOf(range: LineRange): AsyncGenerator<RawLines> {
  yield* readLines(piecesOf(range.path), range, nodeBytes);
}

async function* piecesOf(path: string): AsyncGenerator<Uint8Array> {
  const handle = await openFile(path);
  try {
    yield* chunksOf(handle, 0);
  } finally {
    await handle.close();
  }
}

/**
 * Removes the folder of a session. One `rename` removes it for all readers. Then its files are deleted, also those that
 * a killed process left.
 */
async function removeSession(home: Home, session: SessionId, room: RoomPaths): Promise<void> {
  const { removed, sessions } = home.paths;
  try {
    await home.folders.make(removed);
    await rename(room.folder, join(removed, `${session}-${randomUUID()}`)).catch(unlessGone);
    await flushFolder(sessions);
    home.waypoints.forget(session);
    for (const name of await readdir(removed)) await rm(join(removed, name), { recursive: true, force: true });
  } catch (cause) {
    throw fault('log/write-failed', session, room.folder, 'could not be removed', cause);
  }
}

/** Takes the lock of a session to receive its records. */
export async function receiveInto(
  home: Home,
  session: SessionId,
  parent: Parent | undefined,
): Promise<ReceivedSession> {
  if (parent !== undefined) {
    await forkTip(home, parent);
    await flushParent(home, parent);
  }
  const room = roomPaths(home.paths, session);
  await home.folders.make(room.folder);
  return holding(home, session, room, async (lease) => {
    const found = await existing(home, session);
    if (found !== undefined && !isSameParent(found.record.data.parent, parent)) throw otherParent(session);
    const isComplete = found !== undefined;
    const path = isComplete ? room.log : `${room.log}${INCOMING}`;
    // An empty log shows that the session has not begun, so it is in no list.
    if (!isComplete) await (await home.files.openLog(room.log, true)).close();
    const file = await home.files.openLog(path, true);
    return receiveSession(
      { session, parent },
      storageOf({ home, session, room, file, lease, path, isComplete }),
      nodeBytes,
    );
  });
}

async function existing(home: Home, session: SessionId): Promise<SessionBeginning | undefined> {
  try {
    return await begin(home, session);
  } catch (error) {
    if (error instanceof LogError && error.code === 'log/missing') return undefined;
    throw error;
  }
}

/** Files of a session that receives records. */
interface ReceivingFiles {
  readonly home: Home;
  readonly session: SessionId;
  readonly room: RoomPaths;
  readonly file: LogFile;
  readonly lease: Lease;
  readonly path: string;
  readonly isComplete: boolean;
}

function storageOf({ home, session, room, file, lease, path, isComplete }: ReceivingFiles): ReceiverStorage {
  let current = path;
  return {
    path,
    isComplete,
    pieces: () => piecesOf(current),
    async cut(_, offset) {
      if ((await file.size()) > offset) await file.truncate(offset);
    },
    async write({ bytes }, _, offset) {
      const size = await file.size();
      if (size !== offset) throw fault('log/moved', session, path, 'was changed by another program');
      try {
        await file.append(bytes);
      } catch (cause) {
        await file.truncate(offset).catch(() => undefined);
        throw fault('log/write-failed', session, path, 'could not be written', cause);
      }
    },
    async finish() {
      try {
        await file.flush();
        if (current !== room.log) await rename(current, room.log);
        current = room.log;
        await flushFolder(room.folder);
        home.waypoints.forget(session);
      } catch (cause) {
        throw fault('log/flush-failed', session, path, 'could not be flushed', cause);
      }
    },
    async release() {
      await file.close();
      lease.release();
    },
  };
}

function fault(code: LogErrorCode, session: SessionId, path: string, what: string, cause?: unknown): LogError {
  const reason = cause instanceof Error ? ` (${cause.message})` : '';
  const message = `${path} ${what}${reason}. Check the disk, then try again.`;
  return new LogError(code, message, { session, path }, cause);
}
