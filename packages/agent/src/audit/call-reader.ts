// Reads the calls to models from the records of one session. The state is plain data, so another process can continue
// with the next record.

import type { Following, ModelCall, RowOf } from '@tidemark/context';
import { beginFollowing, endFollowing, followRecord } from '@tidemark/context';
import type { Artifacts, Digest, EpochOpened, Recorded, SessionId } from '@tidemark/log';
import type { Capabilities } from '@tidemark/model';
import { loadCapabilities } from '../session/materials.ts';
import type { ObservedExplanation } from './explain-observed.ts';
import { compareObserved } from './explain-observed.ts';

/** State of a reader after the records so far. It is plain data. */
export interface CallReaderState {
  readonly following: Following;
  /** Catalog rows with which the epochs were opened, by provider and model. */
  readonly rows: readonly (readonly [name: string, row: Capabilities])[];
}

/** Takes the records of a session in order and returns its calls. Records of its ancestors return no call. */
export interface CallReader {
  /**
   * Loads what a record refers to. Call it before `take`, and wait for the promise if there is one.
   *
   * @throws LogError as the store does.
   */
  load(record: Recorded): Promise<void> | undefined;
  /** Returns the calls whose written tokens are known to be read or wasted because of this record. */
  take(record: Recorded): readonly ModelCall[];
  /**
   * Returns the other calls: a later call could still read tokens that they wrote, or their end is not recorded yet.
   */
  unread(): readonly ModelCall[];
  /** True if the latest record belongs to the session itself and not to an ancestor. */
  readonly isOwn: boolean;
  /**
   * State after the records so far. `undefined` in an imported session, and in its forks if it contains requests of
   * another program. These requests are compared with each other, so such a session has to be read from its start.
   */
  readonly state: CallReaderState | undefined;
}

/** Returns the catalog row with which an epoch was opened, or `undefined` if the log does not contain it. */
export type RowLoader = (opened: EpochOpened) => Promise<Capabilities | undefined>;

/** Creates a loader that reads each stored row one time. It can be used for any number of sessions of a store. */
export function createRowLoader(artifacts: Artifacts): RowLoader {
  const loaded = new Map<Digest, Capabilities>();
  return async (opened) => {
    const known = loaded.get(opened.capabilities);
    if (known !== undefined) return known;
    if (!(await artifacts.has(opened.capabilities))) return undefined;
    const row = await loadCapabilities(artifacts, opened);
    loaded.set(opened.capabilities, row);
    return row;
  };
}

/** Options of a reader. */
export interface CallReaderOptions {
  /** Returns the catalog row of a model. It is used if a log contains no row, for example an imported log. */
  readonly rowOf: RowOf;
  readonly loadRow: RowLoader;
  /** State of an earlier reader, after the record before the next one. Default: before the first record. */
  readonly state?: CallReaderState;
}

/** Creates a reader of a session. */
export function createCallReader(
  artifacts: Artifacts,
  session: SessionId,
  { rowOf, loadRow, state }: CallReaderOptions,
): CallReader {
  let following: Following = state?.following ?? beginFollowing(session);
  let imported = false;
  const rows = new Map(state?.rows);
  const comparer = compareObserved(artifacts);
  const observed = new Map<number, ObservedExplanation>();
  const find: RowOf = (provider, model) => rows.get(`${provider} ${model}`) ?? rowOf(provider, model);
  const learn = async (opened: EpochOpened): Promise<void> => {
    const row = await loadRow(opened);
    if (row !== undefined) rows.set(`${opened.provider} ${opened.model}`, row);
  };
  const explain = async (record: Recorded): Promise<void> => {
    const explained = await comparer.take(record);
    if (explained !== undefined) observed.set(explained.request.record.data.step, explained);
  };
  return {
    load(record) {
      if (record.kind === 'session.created') imported = record.data.imported !== undefined;
      // An imported log names only the model and has no row.
      if (imported) return explain(record);
      return record.kind === 'epoch.opened' ? learn(record.data) : undefined;
    },
    take(record) {
      const followed = followRecord(following, record, find);
      following = followed.following;
      return followed.calls.map((call) => withObservedCause(call, observed));
    },
    unread: () => endFollowing(following, find).map((call) => withObservedCause(call, observed)),
    get isOwn() {
      return following.owner === session;
    },
    get state() {
      return imported || observed.size > 0 ? undefined : { following, rows: [...rows] };
    },
  };
}

/**
 * Returns the call with the cause of its miss. The cause is derived from the observed request, and `why` reports the
 * same cause.
 */
function withObservedCause(call: ModelCall, observed: ReadonlyMap<number, ObservedExplanation>): ModelCall {
  const { stream, step, again } = call;
  const explained = stream === 'main' ? observed.get(step) : undefined;
  if (again === undefined || explained === undefined) return call;
  return { ...call, again: { ...again, cause: explained.derived ?? again.cause } };
}
