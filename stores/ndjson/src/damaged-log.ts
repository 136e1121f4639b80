// Opening a session's file for repair: its beginning is read, or had back.

import { LogError, salvageBeginning } from '@tidemark/log';
import type { SessionId } from '@tidemark/log';
import type { Home } from './home.ts';
import { nodeBytes } from './node-bytes.ts';
import { openFile } from './open-file.ts';
import { roomPaths } from './paths.ts';
import { openLog } from './read-log.ts';
import type { OpenLog } from './read-log.ts';

/** Bytes in which the first two lines are looked for. */
const FRONT = 4_194_304;

/**
 * As `withLog`, for a file whose first line may be damaged.
 *
 * @throws LogError `log/missing`, and `log/damaged` when how it began cannot be had back.
 */
export async function withDamagedLog<T>(home: Home, session: SessionId, use: (log: OpenLog) => Promise<T>): Promise<T> {
  const log = await openDamaged(home, session);
  try {
    return await use(log);
  } finally {
    await log.handle.close();
  }
}

async function openDamaged(home: Home, session: SessionId): Promise<OpenLog> {
  try {
    return await openLog(home, session);
  } catch (cause) {
    if (!(cause instanceof LogError) || cause.code !== 'log/damaged') throw cause;
    return openWithout(home, session, cause);
  }
}

async function openWithout(home: Home, session: SessionId, cause: LogError): Promise<OpenLog> {
  const path = roomPaths(home.paths, session).log;
  const handle = await openFile(path);
  try {
    const front = Buffer.alloc(FRONT);
    const { bytesRead } = await handle.read(front, 0, FRONT, 0);
    const beginning = salvageBeginning(session, front.subarray(0, bytesRead), nodeBytes);
    if (beginning !== undefined) return { handle, path, beginning };
    throw beginningGone(session, cause);
  } catch (error) {
    await handle.close();
    throw error;
  }
}

function beginningGone(session: SessionId, cause: LogError): LogError {
  const message = `How session ${session} began cannot be had back, so its records have nothing to stand behind. Restore its folder from a backup.`;
  return new LogError('log/damaged', message, cause.data, cause);
}
