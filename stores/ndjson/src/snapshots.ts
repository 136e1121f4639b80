// Reads and writes the single snapshot of a session. A snapshot only makes reading faster. A snapshot with any fault is
// not used (L9).

import { nodeBytes, openRegularFile, readRegularFile, writeAtomically } from '@tidemark/files';
import type { KeptSnapshot, SessionId, Snapshot } from '@tidemark/log';
import { decodeSnapshot, encodeSnapshot, snapshotPlace } from '@tidemark/log';
import type { Home } from './home.ts';
import { roomPaths } from './home.ts';
import { scanTo, tipEndingAt, withLog } from './read-log.ts';
import { chainAt } from './read-session.ts';

/**
 * Writes the snapshot. If the last record of the snapshot is in the session's own file, the snapshot also contains the
 * byte offset at which that record ends.
 */
export async function putSnapshot(home: Home, session: SessionId, snapshot: Snapshot): Promise<void> {
  const offset = await withLog(home, session, async (log) => {
    if (snapshot.length <= log.beginning.start) return undefined;
    const end = await scanTo(home, log, snapshot.length);
    return end.tip.length === snapshot.length ? end.offset : undefined;
  });
  const room = roomPaths(home.paths, session);
  const whole = encodeSnapshot(offset === undefined ? { snapshot } : { snapshot, offset }, nodeBytes);
  await writeAtomically(room.folder, async (handle) => {
    await handle.writeFile(whole);
    return room.snapshot;
  });
}

/**
 * Returns the snapshot if it matches the current log. A later read can then begin after the records of the snapshot.
 * Returns `undefined` if the snapshot is missing, does not match, or has another revision.
 */
export async function getSnapshot(
  home: Home,
  session: SessionId,
  revision: string | undefined,
): Promise<Snapshot | undefined> {
  const file = await readKept(roomPaths(home.paths, session).snapshot);
  if (file === undefined || (revision !== undefined && file.snapshot.revision !== revision)) return undefined;
  return (await fits(home, session, file)) ? file.snapshot : undefined;
}

/**
 * Adds a waypoint at the place where the records of the snapshot end. A search for the end of the log then begins at
 * that place.
 */
export async function learnPlace(home: Home, session: SessionId): Promise<void> {
  const handle = await openRegularFile(roomPaths(home.paths, session).snapshot).catch(() => undefined);
  if (handle === undefined) return;
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(LONGEST_FRONT));
    const place = snapshotPlace(buffer.subarray(0, bytesRead), nodeBytes);
    if (place !== undefined) home.waypoints.learn(session, place);
  } finally {
    await handle.close();
  }
}

/** Largest snapshot that is read, in bytes. */
export const MAX_SNAPSHOT: number = 512 * 1_024 * 1_024;

/** Maximum number of bytes before the state in a snapshot file: a digest and four short fields. */
const LONGEST_FRONT = 1_024;

async function readKept(path: string): Promise<KeptSnapshot | undefined> {
  const whole = await readRegularFile(path, { most: MAX_SNAPSHOT }).catch(() => undefined);
  return whole === undefined ? undefined : decodeSnapshot(whole, nodeBytes);
}

async function fits(home: Home, session: SessionId, { snapshot, offset }: KeptSnapshot): Promise<boolean> {
  const { length, chain } = snapshot;
  if (offset === undefined) return (await chainAt(home, session, length)) === chain;
  const tip = await withLog(home, session, ({ handle }) => tipEndingAt(handle, offset));
  if (tip?.length !== length || tip.chain !== chain) return false;
  home.waypoints.learn(session, { length, offset });
  return true;
}
