// The one snapshot of a session. It is a guess at what may save work: whatever is wrong with it, it is not used (L9).

import { openRegularFile, readRegularFile } from '@tidemark/files';
import type { KeptSnapshot, SessionId, Snapshot } from '@tidemark/log';
import { decodeSnapshot, encodeSnapshot, snapshotPlace } from '@tidemark/log';
import { writeAtomically } from './artifacts.ts';
import type { Home } from './home.ts';
import { roomPaths } from './home.ts';
import { nodeBytes, scanTo, tipEndingAt, withLog } from './read-log.ts';
import { chainAt } from './read-session.ts';

/** Writes the snapshot, with the place in the file where its length ends. */
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

/** Reads the snapshot if it fits the log as it stands; a later read begins where it ends. */
export async function getSnapshot(
  home: Home,
  session: SessionId,
  revision: string | undefined,
): Promise<Snapshot | undefined> {
  const kept = await readKept(roomPaths(home.paths, session).snapshot);
  if (kept === undefined || (revision !== undefined && kept.snapshot.revision !== revision)) return undefined;
  return (await fits(home, session, kept)) ? kept.snapshot : undefined;
}

/** Learns the place that the snapshot names, so that a writer looks for the end of the log behind it. */
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
export const MOST_SNAPSHOT: number = 512 * 1_024 * 1_024;

/** Bytes before the state: a digest and four short fields. */
const LONGEST_FRONT = 1_024;

async function readKept(path: string): Promise<KeptSnapshot | undefined> {
  const whole = await readRegularFile(path, { most: MOST_SNAPSHOT }).catch(() => undefined);
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
