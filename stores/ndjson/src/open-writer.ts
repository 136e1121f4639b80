// Opens writers. Checks the session, takes the lock, checks again, and cuts a torn tail.

import { lstat, rm, rmdir, stat } from 'node:fs/promises';
import { flushFolder, nodeBytes } from '@tidemark/files';
import type { LogWriter, Parent, SessionId, Tip, WrittenSession } from '@tidemark/log';
import { EMPTY_TIP, LogError, createSerialWriter } from '@tidemark/log';
import type { FilePort, LogFile } from './file-port.ts';
import { unlessGone } from './file-port.ts';
import type { Home, RoomPaths } from './home.ts';
import { roomPaths } from './home.ts';
import type { Lease } from './lease.ts';
import { takeLease } from './lease.ts';
import { begin, scanTo, withLog } from './read-log.ts';
import { forkTip } from './read-session.ts';
import { learnPlace } from './snapshots.ts';
import type { OpenedFiles } from './writer.ts';
import { createFileStorage } from './writer.ts';

/** End of the name of a log file whose records are being received. */
export const INCOMING = '.incoming';

/** Creates a session. When the promise resolves, the session's folder and its empty log file are on stable storage. */
export async function createWriter(home: Home, session: SessionId, parent: Parent | undefined): Promise<LogWriter> {
  const tip = parent === undefined ? EMPTY_TIP : await tipOf(home, parent);
  await refuseExisting(home, session);
  if (parent !== undefined) await flushParent(home, parent);
  const room = roomPaths(home.paths, session);
  try {
    await home.folders.make(room.folder);
    return await holding(home, session, room, async (lease) => {
      await refuseExisting(home, session);
      const file = await openNewLog(home, room);
      return closingOnFailure(file, async () => {
        await cut(file, 0);
        await removeIncoming(`${room.log}${INCOMING}`);
        await flushFolder(room.folder);
        return writerOn(home, { session, parent, tip }, { path: room.log, file, lease, size: 0 });
      });
    });
  } catch (error) {
    // An empty folder would look like a session that lost its log. `rmdir` keeps a folder that contains any file.
    await rmdir(room.folder).catch(() => undefined);
    throw error;
  }
}

/** Removes the records of an unfinished copy. Something else at this place, such as a pipe, is left to its next user. */
async function removeIncoming(path: string): Promise<void> {
  if ((await lstat(path).catch(unlessGone))?.isFile() === true) await rm(path);
}

/**
 * Opens the log file of a new session. If the log file cannot be created, the lease file is removed, so the folder can
 * be removed too. No other writer needs that lease file, because this writer holds the lock.
 */
async function openNewLog(home: Home, room: RoomPaths): Promise<LogFile> {
  try {
    return await home.files.openLog(room.log, true);
  } catch (error) {
    await rm(room.lease, { force: true });
    throw error;
  }
}

/**
 * Returns the tip that a fork continues from: the end of the records that it shares with its parent. A fork usually
 * begins near the end of its parent, so the parent is read from the end of its snapshot instead of from its beginning.
 */
async function tipOf(home: Home, parent: Parent): Promise<Tip> {
  await learnPlace(home, parent.session);
  return forkTip(home, parent);
}

/**
 * Flushes the log of a parent. The writer of the parent may not have flushed the forked record yet. If the power fails
 * then, the fork exists without that record and can never be opened again (L8).
 */
export async function flushParent(home: Home, parent: Parent): Promise<void> {
  const file = await home.files.openLog(roomPaths(home.paths, parent.session).log, false);
  try {
    await file.flush();
  } catch (cause) {
    const message = `Session ${parent.session} could not be flushed, so it cannot be forked at ${parent.position}. Nothing was written; check the disk, then fork again.`;
    throw new LogError('log/flush-failed', message, { session: parent.session }, cause);
  } finally {
    await file.close();
  }
}

/** Opens a writer for a session that has records. Takes the lock of the session and removes a torn tail. */
export async function openWriter(home: Home, session: SessionId): Promise<LogWriter> {
  const { parent } = (await begin(home, session)).record.data;
  if (parent !== undefined) await tipOf(home, parent);
  const room = roomPaths(home.paths, session);
  return holding(home, session, room, async (lease) => {
    await learnPlace(home, session);
    const { tip, size } = await soundEnd(home, session);
    const file = await home.files.openLog(room.log, false);
    return closingOnFailure(file, async () => {
      await cut(file, size);
      return writerOn(home, { session, parent, tip }, { path: room.log, file, lease, size });
    });
  });
}

function writerOn(
  { waypoints }: Home,
  written: Omit<WrittenSession, 'fence'>,
  opened: Omit<OpenedFiles, 'session' | 'waypoints'>,
): LogWriter {
  const { session, tip } = written;
  const storage = createFileStorage({ ...opened, session, waypoints });
  return createSerialWriter({ ...written, fence: tip.fence + 1 }, storage, nodeBytes);
}

function soundEnd(home: Home, session: SessionId): Promise<{ readonly tip: Tip; readonly size: number }> {
  return withLog(home, session, async (log) => {
    const { tip, offset } = await scanTo(home, log, Infinity);
    return { tip, size: offset };
  });
}

async function cut(file: LogFile, size: number): Promise<void> {
  if ((await file.size()) > size) await file.truncate(size);
}

/** Takes the lock of a session and passes it to `use`. Releases it if `use` throws. */
export async function holding<T>(
  home: Home,
  session: SessionId,
  room: RoomPaths,
  use: (lease: Lease) => Promise<T>,
): Promise<T> {
  await refuseNetwork(room.folder, home.files);
  const lease = takeLease(room.lease, session);
  try {
    return await use(lease);
  } catch (error) {
    lease.release();
    throw error;
  }
}

async function closingOnFailure<T>(file: LogFile, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    await file.close();
    throw error;
  }
}

async function refuseExisting(home: Home, session: SessionId): Promise<void> {
  const path = roomPaths(home.paths, session).log;
  if (!(await holdsRecord(home, session, path))) return;
  throw new LogError('log/exists', `Session ${session} already exists (${path}); open it, or use another id.`, {
    session,
    path,
  });
}

async function holdsRecord(home: Home, session: SessionId, path: string): Promise<boolean> {
  const size = await stat(path).then(
    (found) => found.size,
    () => 0,
  );
  if (size === 0) return false;
  try {
    await begin(home, session);
    return true;
  } catch (error) {
    return !(error instanceof LogError && error.code === 'log/missing');
  }
}

// Refuses network file systems. Not every client of such a file system respects the locks of other clients, so a
// session on it could have two writers.

/**
 * Network file systems by the magic number of `statfs(2)` on Linux. FUSE and 9p are allowed, because most of them are
 * local to one kernel.
 */
const NETWORK: ReadonlyMap<number, string> = new Map([
  [0x6969, 'NFS'],
  [0x517b, 'SMB'],
  [0xfe534d42, 'SMB2'],
  [0xff534d42, 'CIFS'],
  [0x5346414f, 'AFS'],
  [0x00c36400, 'Ceph'],
  [0x0bd00bd0, 'Lustre'],
  [0x47504653, 'GPFS'],
  [0x73757245, 'Coda'],
]);

/**
 * Refuses a folder on a network file system. Only Linux reports the type of a file system, so on other systems every
 * folder is accepted.
 *
 * @throws LogError `log/unsupported-filesystem`.
 */
async function refuseNetwork(folder: string, files: FilePort): Promise<void> {
  if (process.platform !== 'linux') return;
  const name = NETWORK.get((await files.filesystemType(folder)) >>> 0);
  if (name === undefined) return;
  throw new LogError(
    'log/unsupported-filesystem',
    `${folder} is on ${name}, where a lock does not exclude a second writer. Nothing was written; choose a home on a local disk (TIDEMARK_HOME).`,
    { folder, filesystem: name },
  );
}
