// A session in the hands of its one writer: the log, and what is folded from it. Nothing counts before it is committed.

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

/** An open session: what is folded from its log up to now, and its one writer. */
export interface Session extends Fold {
  readonly log: Log;
  readonly writer: LogWriter;
  /** What may not be written: replaced in everything that is committed, answers excepted. */
  readonly secrets: Secrets;
  /** Who reads the state and then appends goes through it, so that nobody appends in between. */
  readonly mutex: Mutex;
  /** How many of its records a snapshot holds. */
  kept: number;
  /** Told of each record once it is in the log. */
  readonly watchers: Set<(record: Recorded) => void>;
}

/** Begins a session. The first commit must be its `session.created`. */
export async function createSession(
  log: Log,
  id: SessionId,
  parent?: Parent,
  secrets: Secrets = NO_SECRETS,
): Promise<Session> {
  const writer = await log.create(id, parent);
  return hold(log, writer, secrets, parent === undefined ? undefined : [parent.session, parent.position + 1]);
}

/** Opens a session for writing: takes its lock, folds its log, writes nothing else. */
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

/** The fold of a session's log, or of its beginning. Takes no lock. */
export async function foldLog(log: Log, id: SessionId, to?: number): Promise<State> {
  let state = emptyState();
  for await (const event of log.read(id, 0, to)) state = evolve(state, event);
  return state;
}

/**
 * The one funnel (L1): masks secrets, appends facts and folds them. What it returns is in the log, visible, and not yet
 * flushed: see `writer.sync` for the barrier.
 *
 * @throws AgentError `agent/conflict` when another writer was faster.
 */
export function commit(session: Session, events: readonly Event[]): Promise<readonly Recorded[]> {
  return session.mutex.pass(() => commitInside(session, events));
}

/** `commit` for who already holds the mutex. */
export async function commitInside(session: Session, events: readonly Event[]): Promise<readonly Recorded[]> {
  const masked = await Promise.all(events.map((event) => session.secrets.maskEvent(event)));
  const appended = await session.writer.append(masked, session.state.length);
  if (!appended.ok) {
    const { expected, actual } = appended.conflict;
    throw new AgentError(
      'agent/conflict',
      `session ${session.writer.session} holds ${actual} records, not ${expected}: read it again and decide again`,
    );
  }
  for (const record of appended.records) foldIn(session, record);
  for (const record of appended.records) for (const watch of session.watchers) watch(record);
  return appended.records;
}

/**
 * Names what is folded, and how: a snapshot of another revision is not used. Raise it with every change of what a record does
 * to the state or to the progress; a pin over the corpus fails where that was forgotten.
 */
export const FOLD_REVISION = 'fold/10';

/**
 * What is folded from a log, and how it is kept between two processes: a snapshot spares reading the records before
 * it, and changes nothing (L9).
 */
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

// A snapshot is written after at least as many new records as it holds. So writing all snapshots costs each record a bounded
// share, and opening reads no more records than the snapshot saves.

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

/**
 * Which skills stand before the model: the front says what was preloaded, the log what was loaded and what of that is
 * gone. Folded from records alone, so that it is the same after a restart and in a fork.
 */
export function skillsInContext({ state: { epoch }, progress }: Pick<Fold, 'state' | 'progress'>): SkillsInContext {
  return {
    preloaded: epoch?.opened.padding?.skills ?? [],
    loaded: progress.loadedSkills.map(({ name, version, tokens }) => ({ name, version, tokens })),
  };
}

/**
 * The state as it will be behind one more record: what a request is made from before all of them are appended
 * together.
 */
export function asIfRecorded(state: State, event: Event): State {
  return evolve(state, { ...event, v: 1, position: position(state.length), fence: 0, chain: CHAIN_START });
}
