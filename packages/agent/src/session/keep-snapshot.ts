// When a snapshot is written: not before as many records came as it holds, so that writing all of them costs each record a
// bounded share, and opening reads no more records than the snapshot spares.

import { snapshotOf } from './fold.ts';
import type { Session } from './session.ts';

/** Fewer new records are read faster than a snapshot is written. */
const FEWEST = 1_000;

/** Whether the next snapshot is due: by the records that came since the last one, and what it would hold. */
export function isSnapshotDue({ state, writer, kept }: Session): boolean {
  // Between an append and its fold the writer is ahead.
  if (writer.length !== state.length) return false;
  return state.length - kept >= Math.max(FEWEST, state.history.packed.length);
}

/**
 * Writes a snapshot of the session as it stands when this is called. What of it is not flushed yet may be lost with the
 * machine; the snapshot then fits no log and is not used.
 *
 * @throws what the store throws. Nothing is lost then but time at the next opening, and it is not tried again before as much
 * has come once more.
 */
export async function keepSnapshot(session: Session): Promise<void> {
  const { log, writer, state } = session;
  session.kept = state.length;
  await log.putSnapshot(writer.session, snapshotOf(session, writer.chain));
}
