// An open session with its single writer: the log, and the state folded from the log. An event changes the state only
// after it is committed.

import { deserialize, serialize } from 'node:v8';
import type { State } from '@tidemark/context';
import { emptyState, evolve } from '@tidemark/context';
import type { Chain, Event, Log, LogWriter, Parent, Recorded, SessionId, Snapshot } from '@tidemark/log';
import { CHAIN_START, position } from '@tidemark/log';
import type { Mutex } from '../concurrency.ts';
import { createMutex } from '../concurrency.ts';
import { AgentError } from '../errors.ts';
import type { Secrets } from '../ports/secrets.ts';
import { NO_SECRETS } from '../ports/secrets.ts';
import type { SkillsInContext } from '../ports/skill-shelf.ts';
import type { Progress } from './progress.ts';
import { advance, emptyProgress } from './progress.ts';

/** An open session: the fold of its log up to now, and its single writer. */
export interface Session extends Fold {
  readonly log: Log;
  readonly writer: LogWriter;
  /** Masks secrets in everything that is committed, except answers. */
  readonly secrets: Secrets;
  /**
   * Mutex for code that first reads the state and then appends. No other append can happen between these two actions.
   */
  readonly mutex: Mutex;
  /** Number of records that the last snapshot contains. */
  kept: number;
  /** Callbacks that receive each record after it is in the log. */
  readonly watchers: Set<(record: Recorded) => void>;
}

/** Creates a session. The first commit must contain its `session.created`. */
export async function createSession(
  log: Log,
  id: SessionId,
  parent?: Parent,
  secrets: Secrets = NO_SECRETS,
): Promise<Session> {
  const writer = await log.create(id, parent);
  return hold(log, writer, secrets, parent === undefined ? undefined : [parent.session, parent.position + 1]);
}

/** Opens a session for writing: takes its lock and folds its log. Appends no record. */
export async function openSession(log: Log, id: SessionId, secrets: Secrets = NO_SECRETS): Promise<Session> {
  const writer = await log.open(id);
  return hold(log, writer, secrets, [id, undefined]);
}

async function hold(
  log: Log,
  writer: LogWriter,
  secrets: Secrets,
  from: readonly [SessionId, number | undefined] | undefined,
): Promise<Session> {
  try {
    const { fold, kept } = from === undefined ? { fold: emptyFold(), kept: 0 } : await readFold(log, ...from);
    return { ...fold, kept, log, writer, secrets, mutex: createMutex(), watchers: new Set() };
  } catch (error) {
    await writer.close();
    throw error;
  }
}

/**
 * Returns the state folded from a session's log, or from its first `to` records, without using a snapshot. Takes no
 * lock.
 */
export async function foldLog(log: Log, id: SessionId, to?: number): Promise<State> {
  let state = emptyState();
  for await (const event of log.read(id, 0, to)) state = evolve(state, event);
  return state;
}

/**
 * Commits events: masks secrets, appends the events and folds them. Every fact of a session goes through this function
 * (L1). The returned records are in the log and visible, but not yet flushed. For the barrier see `writer.sync`.
 *
 * @throws AgentError `agent/conflict` if another writer has appended first.
 */
export function commit(session: Session, events: readonly Event[]): Promise<readonly Recorded[]> {
  return session.mutex.pass(() => commitInside(session, events));
}

/** Commits events like `commit`, for a caller that has already locked the mutex. */
export async function commitInside(session: Session, events: readonly Event[]): Promise<readonly Recorded[]> {
  const masked = await Promise.all(events.map((event) => session.secrets.maskEvent(event)));
  const appended = await session.writer.append(masked, session.state.length);
  if (!appended.ok) {
    const { expected, actual } = appended.conflict;
    throw new AgentError(
      'agent/conflict',
      `session ${session.writer.session} has ${actual} records, not ${expected}: read the session again and repeat the change`,
    );
  }
  for (const record of appended.records) foldIn(session, record);
  for (const record of appended.records) for (const watch of session.watchers) watch(record);
  return appended.records;
}

/**
 * Revision of the fold. A snapshot with another revision is not used. Raise it with every change of how a record
 * affects the state or the progress. If this was forgotten, a pinned test over the corpus fails.
 */
export const FOLD_REVISION = 'fold/12';

/**
 * State and progress that are folded from a log. A snapshot stores them. The next process then reads only the later
 * records. A snapshot has no other effect (L9).
 */
export interface Fold {
  /** State from which the model's context is built. */
  state: State;
  /** Progress of turns, calls and cost, for the decisions of the runtime. */
  readonly progress: Progress;
}

/** Returns the fold of an empty log. */
export function emptyFold(): Fold {
  return { state: emptyState(), progress: emptyProgress() };
}

/** Applies one more record to `fold`, which is changed in place. */
export function foldIn(fold: Fold, record: Recorded): void {
  fold.state = evolve(fold.state, record);
  advance(fold.progress, record);
}

/**
 * Returns a snapshot of the whole fold. If `state` and `progress` share data, this data is serialized only one time.
 * `chain` is the chain digest of the last record in the fold.
 */
export function snapshotOf({ state, progress }: Fold, chain: Chain): Snapshot {
  return { length: state.length, chain, revision: FOLD_REVISION, bytes: serialize({ state, progress }) };
}

/**
 * Returns the fold in a snapshot of this revision. Returns `undefined` if this version of Node cannot read the
 * snapshot, or if its length is wrong.
 */
function foldOf({ bytes, length }: Snapshot): Fold | undefined {
  try {
    const fold: Fold = deserialize(bytes);
    return fold.state.length === length ? fold : undefined;
  } catch {
    // A snapshot only saves work. If it is unusable for any reason, the log is read instead.
    return undefined;
  }
}

/**
 * Returns the fold of a session's log, or of its first `to` records. `kept` is the number of records that came from a
 * snapshot. Takes no lock.
 */
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
 * Returns the fold of a session like `readFold`, for a caller that reads many sessions. If more than `most` records
 * follow the snapshot, `fold` is `undefined`. In both cases `read` is the number of records that were read.
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

async function heldFold(log: Log, id: SessionId, to: number): Promise<Fold> {
  const snapshot = await log.getSnapshot(id, FOLD_REVISION);
  const held = snapshot === undefined || snapshot.length > to ? undefined : foldOf(snapshot);
  return held ?? emptyFold();
}

// The number of new records needed for the next snapshot grows with the size of the history. The cost of writing
// snapshots, divided by the number of records, therefore stays below a constant. Opening a session never reads a long
// log.

/** Minimum number of new records. If there are fewer, reading them is faster than writing a snapshot. */
const FEWEST = 1_000;

/**
 * Returns true if the next snapshot is due. There must be at least 1,000 new records, and at least as many new records
 * as the packed history has entries.
 */
export function isSnapshotDue({ state, writer, kept }: Session): boolean {
  // After an append, the writer counts more records than the state until the new records are folded.
  if (writer.length !== state.length) return false;
  return state.length - kept >= Math.max(FEWEST, state.history.packed.length);
}

/**
 * Writes a snapshot of the session in its current state. Records that are not flushed yet may be lost in a crash of the
 * machine. The snapshot then does not match the log and is not used.
 *
 * @throws what the store throws. After an error no data is lost, but the next opening takes longer. The next attempt
 *   follows only after the same number of new records.
 */
export async function keepSnapshot(session: Session): Promise<void> {
  const { log, writer, state } = session;
  session.kept = state.length;
  await log.putSnapshot(writer.session, snapshotOf(session, writer.chain));
}

/**
 * Returns the skills that are in the context. Preloaded skills come from the current epoch. Loaded skills come from the
 * log, without those that a compaction dropped. The result depends only on records, so it is the same after a restart
 * and in a fork.
 */
export function skillsInContext({ state: { epoch }, progress }: Pick<Fold, 'state' | 'progress'>): SkillsInContext {
  return {
    preloaded: epoch?.opened.padding?.skills ?? [],
    loaded: progress.loadedSkills.map(({ name, version, tokens }) => ({ name, version, tokens })),
  };
}

/**
 * Returns the state after one more record, before this record is in the log. A request is built from this state. Its
 * records are appended together later.
 */
export function asIfRecorded(state: State, event: Event): State {
  return evolve(state, { ...event, v: 1, position: position(state.length), fence: 0, chain: CHAIN_START });
}
