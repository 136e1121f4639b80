// Reads the new records of one session into rows. The reader needs no database: it continues from plain data and
// returns plain data.

import type { CallReader, CallReaderState, RowLoader } from '@tidemark/agent';
import { createCallReader } from '@tidemark/agent';
import type { ModelCall, RowOf } from '@tidemark/context';
import type { Log, Recorded, SessionId } from '@tidemark/log';
import type { RowsPlace } from './row-store.ts';
import type {
  BreakEntry,
  CallEntry,
  ChargeEntry,
  LogTip,
  SessionEntries,
  SessionFacts,
  SkillEntry,
} from './session-rows.ts';
import { breakEntry, callEntry, chargeEntry, skillEntry } from './session-rows.ts';

/** Rows of a part of a session, and the place after it. */
export interface ReadPart {
  readonly after: RowsPlace;
  readonly entries: SessionEntries;
}

/** Options of a reading. */
export interface ReadSessionOptions {
  readonly rowOf: RowOf;
  readonly loadRow: RowLoader;
  /** Place from which the reading continues. Default: the start of the session. */
  readonly from: RowsPlace | undefined;
}

/** Reading of one session. */
export interface SessionReading {
  /** Takes the next record. Wait for the promise if there is one. */
  take(record: Recorded): Promise<void> | undefined;
  /** Returns the rows since the part before, or `undefined` if the session has no own record yet. */
  part(): ReadPart | undefined;
  /** Number of calls since the part before. */
  readonly calls: number;
}

interface CollectedRows {
  calls: CallEntry[];
  breaks: BreakEntry[];
  skills: SkillEntry[];
  charges: ChargeEntry[];
}

const nothingCollected = (): CollectedRows => ({ calls: [], breaks: [], skills: [], charges: [] });

/** Begins the reading of a session, or continues an earlier reading. */
export function readSessionRows(
  log: Log,
  session: SessionId,
  { rowOf, loadRow, from }: ReadSessionOptions,
): SessionReading {
  const reader = createCallReader(log.artifacts, session, { rowOf, loadRow, ...readerState(from) });
  let facts = from?.facts;
  let tip: LogTip | undefined = from;
  let collected = nothingCollected();
  const takeNow = (record: Recorded): void => {
    for (const call of reader.take(record)) addCall(collected, call, 0);
    if (reader.isOwn) facts = factsAfter(facts, record);
    if (reader.isOwn) addOther(collected, record);
    tip = { length: record.position + 1, chain: record.chain };
  };
  return {
    take(record) {
      const loading = reader.load(record);
      if (loading !== undefined) return loading.then(() => takeNow(record));
      takeNow(record);
      return undefined;
    },
    part() {
      if (facts === undefined || tip === undefined) return undefined;
      const entries = withUnread(collected, reader);
      collected = nothingCollected();
      return { after: { ...tip, facts, state: stateOf(reader) }, entries };
    },
    get calls() {
      return collected.calls.length;
    },
  };
}

function readerState(from: RowsPlace | undefined): { readonly state?: CallReaderState } {
  if (from?.state === undefined) return {};
  const state: CallReaderState = JSON.parse(from.state);
  return { state };
}

function stateOf({ state }: CallReader): string | undefined {
  return state === undefined ? undefined : JSON.stringify(state);
}

/** Adds the calls whose row can still change. Each later part contains them again. */
function withUnread(final: SessionEntries, reader: CallReader): SessionEntries {
  const { calls, breaks, ...others } = final;
  const waiting = { calls: [...calls], breaks: [...breaks] };
  for (const call of reader.unread()) addCall(waiting, call, 1);
  return { ...others, ...waiting };
}

function addCall({ calls, breaks }: Pick<CollectedRows, 'calls' | 'breaks'>, call: ModelCall, pending: 0 | 1): void {
  calls.push(callEntry(call, pending));
  const broke = breakEntry(call);
  if (broke !== undefined) breaks.push(broke);
}

function addOther({ skills, charges }: CollectedRows, record: Recorded): void {
  if (record.kind === 'skill.loaded') skills.push(skillEntry(record));
  if (record.kind === 'tool.charged') charges.push(chargeEntry(record));
}

function factsAfter(facts: SessionFacts | undefined, { kind, at, data }: Recorded): SessionFacts | undefined {
  if (kind === 'session.created') return { created: data, createdAt: at, changedAt: at };
  return facts && { ...facts, changedAt: at > facts.changedAt ? at : facts.changedAt };
}
