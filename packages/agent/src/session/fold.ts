// What is folded from a log, and how it is kept between two processes: a snapshot spares reading the records before it, and
// changes nothing (L9).

import { deserialize, serialize } from 'node:v8';
import type { Chain, Log, Recorded, SessionId, Snapshot } from '@tidemark/log';
import type { State } from '@tidemark/context';
import { emptyState, evolve } from '@tidemark/context';
import type { Progress } from './progress.ts';
import { advance, emptyProgress } from './progress.ts';

/**
 * Names what is folded, and how: a snapshot of another revision is not used. Raise it with every change of what a record does
 * to the state or to the progress; a pin over the corpus fails where that was forgotten.
 */
export const FOLD_REVISION = 'fold/9';

/** See the head of this file. */
export interface Fold {
  /** What a model sees. */
  state: State;
  /** What the log says of the work itself. */
  readonly progress: Progress;
}

/** The fold of no records. */
export function emptyFold(): Fold {
  return { state: emptyState(), progress: emptyProgress() };
}

/** Takes one more record. */
export function foldIn(fold: Fold, record: Recorded): void {
  fold.state = evolve(fold.state, record);
  advance(fold.progress, record);
}

/** A fold as a snapshot, whole: what two parts of it share is written once. The chain is that of the last record in it. */
export function snapshotOf({ state, progress }: Fold, chain: Chain): Snapshot {
  return { length: state.length, chain, revision: FOLD_REVISION, bytes: serialize({ state, progress }) };
}

/** The fold that a snapshot of this revision holds; `undefined` for what this version of Node cannot read. */
function foldOf({ bytes, length }: Snapshot): Fold | undefined {
  try {
    const fold: Fold = deserialize(bytes);
    return fold.state.length === length ? fold : undefined;
  } catch {
    // A snapshot is a guess at what may save work: whatever is wrong with it, the log is read instead.
    return undefined;
  }
}

/** The fold of a session's log, or of its beginning, and how many records of it came from a snapshot. Takes no lock. */
export async function readFold(
  log: Log,
  id: SessionId,
  to: number = Infinity,
): Promise<{ readonly fold: Fold; readonly kept: number }> {
  const fold = await heldFold(log, id, to);
  const kept = fold.state.length;
  for await (const record of log.read(id, kept, to)) foldIn(fold, record);
  return { fold, kept };
}

/**
 * The same for who only glances at many: of a session with more records behind its snapshot than `most` there is none. `read`
 * says how many were read, in any case.
 */
export async function glanceAtFold(
  log: Log,
  id: SessionId,
  most: number,
): Promise<{ readonly fold: Fold | undefined; readonly read: number }> {
  const fold = await heldFold(log, id, Infinity);
  let read = 0;
  for await (const record of log.read(id, fold.state.length)) {
    if (read >= most) return { fold: undefined, read };
    read += 1;
    foldIn(fold, record);
  }
  return { fold, read };
}

/** What the snapshot spares reading. */
async function heldFold(log: Log, id: SessionId, to: number): Promise<Fold> {
  const snapshot = await log.getSnapshot(id, FOLD_REVISION);
  const held = snapshot === undefined || snapshot.length > to ? undefined : foldOf(snapshot);
  return held ?? emptyFold();
}
