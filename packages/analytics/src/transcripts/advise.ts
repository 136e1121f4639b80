// Computes what a change would have saved, by replaying the sessions that lost most for one cause. No figure is a rule of
// thumb: each is the difference between two bills for the same calls at the same times.

import { stat } from 'node:fs/promises';
import { TidemarkError } from '@tidemark/core';
import type { LossCause } from '@tidemark/context';
import type { Log, Timestamp, Usage } from '@tidemark/log';
import type { Capabilities, Catalog } from '@tidemark/model';
import { costOf, inputTokens, priceAt } from '@tidemark/model';
import type { RecordedCall, ReplayOptions } from '@tidemark/recording';
import { importInto, replay, replayName } from '@tidemark/recording';
import { Decimal } from 'decimal.js';
import type { Audit, AuditSession } from './audit.ts';
import type { Projection } from './projection.ts';

/**
 * Change that could have saved money. `one-hour`, `five-minutes`: another lifetime of the cache entries. `keep-warm`:
 * calls in pauses that keep the entries alive, for at most a tenth of the cost. `same-prefix`: system text, tools and
 * history stay as they were sent. `same-settings`: no change of the model or of the reasoning level within a session.
 */
export type AdvisedChange = 'one-hour' | 'five-minutes' | 'keep-warm' | 'same-prefix' | 'same-settings';

/** Effect of one change on the replayed sessions. Amounts are US dollars at list prices, output included. */
export interface AdvisedEffect {
  readonly change: AdvisedChange;
  /** Cost of the same calls with the change. */
  readonly cost: string;
  /** `before` of the advice without `cost`. Negative if the change would have cost more. */
  readonly saving: string;
}

/** Advice for one cause. */
export interface Advice {
  readonly cause: LossCause;
  /** Number of replayed transcripts and calls. */
  readonly transcripts: number;
  readonly calls: number;
  /** Share of the cause's cost that the replayed transcripts have, from 0 to 1. */
  readonly share: number;
  /** Cost that the effects are compared with. */
  readonly before: string;
  /** Effects, the largest saving first. */
  readonly effects: readonly AdvisedEffect[];
}

/** Surroundings of the replays. */
export interface AdviseOptions {
  readonly catalog: Catalog;
  /** Creates an empty store. Each replay uses two. */
  readonly createStore: () => Log;
  /** Keeps advice for the next audit, so that unchanged transcripts are replayed only one time. Default: keeps nothing. */
  readonly rows?: Pick<Projection, 'source' | 'recall' | 'keep'>;
  readonly onProgress?: (progress: { readonly transcripts: number; readonly replayed: number }) => void;
  readonly signal?: AbortSignal;
}

/**
 * Maximum number of transcripts that are replayed for one cause, and of their calls. A replay takes a second for 20 to 60
 * calls.
 */
const MAX_TRANSCRIPTS = 5;
const MAX_CALLS = 600;

/** Maximum size of a replayed transcript, because an import into memory takes several times as much. */
const MAX_BYTES = 50_000_000;

/** Share of a cause's cost that is enough for advice. */
const ENOUGH = 0.8;

/**
 * Replays the transcripts that lost most for a cause. Returns `undefined` if no change is known that concerns the cause,
 * if no transcript can be replayed at its own prices, or if the signal aborts. Only calls of Anthropic's models can be
 * replayed. A transcript that was removed or can no longer be read is left out. A call counts once, and only if it was
 * sent since the start of the audit.
 */
export async function advise(found: Audit, cause: LossCause, options: AdviseOptions): Promise<Advice | undefined> {
  const changes = CHANGES.get(cause);
  const chosen = chooseTranscripts(found, cause);
  if (changes === undefined || chosen.length === 0) return undefined;
  const key = keyOf(found, cause, chosen, options);
  const kept = options.rows?.recall(key);
  if (kept !== undefined) return readKept(kept);
  const bills: TranscriptBills[] = [];
  const replays: Replays = { ...options, since: found.since, counted: new Set() };
  for (const [index, transcript] of chosen.entries()) {
    options.onProgress?.({ transcripts: chosen.length, replayed: index });
    const bill = await billTranscript(transcript, changes, replays);
    if (options.signal?.aborted === true) return undefined;
    if (bill !== undefined) bills.push(bill);
  }
  const lost = found.causes.find((one) => one.cause === cause)?.cost ?? '0';
  const advice = bills.length === 0 ? undefined : adviceOf(cause, lost, changes, bills);
  options.rows?.keep(key, JSON.stringify({ advice }));
  return advice;
}

/** Returns a key that changes with the cause, the calls that count, and the state of each replayed transcript. */
function keyOf(
  { since, causes }: Audit,
  cause: LossCause,
  chosen: readonly ChosenTranscript[],
  { rows }: AdviseOptions,
): string {
  const cost = causes.find((one) => one.cause === cause)?.cost;
  return JSON.stringify(['advice', since, cause, cost, chosen.map((one) => [one, rows?.source(one.path)])]);
}

function readKept(text: string): Advice | undefined {
  const { advice }: { readonly advice?: Advice } = JSON.parse(text);
  return advice;
}

/** Returns true if a change is known that concerns the cause. */
export function isAdvised(cause: LossCause): boolean {
  return CHANGES.has(cause);
}

/** Causes for which a change is known. */
const CHANGES: ReadonlyMap<LossCause, readonly AdvisedChange[]> = new Map<LossCause, readonly AdvisedChange[]>([
  ['expired', ['one-hour', 'five-minutes', 'keep-warm']],
  ['front-changed-or-evicted', ['same-prefix']],
  ['front-changed', ['same-prefix']],
  ['history-changed', ['same-prefix']],
  ['edited', ['same-prefix']],
  ['not-cached', ['same-prefix']],
  ['model', ['same-settings']],
  ['reasoning', ['same-settings']],
]);

/** Transcript to replay. */
interface ChosenTranscript {
  readonly path: string;
  /** Cost that its sessions lost for the cause. */
  readonly lost: Decimal;
  readonly calls: number;
  /** Lifetime with which most tokens were written. */
  readonly ttl: '5m' | '1h';
}

function chooseTranscripts({ sessions, causes }: Audit, cause: LossCause): readonly ChosenTranscript[] {
  const enough = new Decimal(causes.find((one) => one.cause === cause)?.cost ?? 0).times(ENOUGH);
  const chosen: ChosenTranscript[] = [];
  let [covered, calls] = [new Decimal(0), 0];
  for (const one of transcriptsOf(sessions, cause)) {
    if (chosen.length === MAX_TRANSCRIPTS || covered.gte(enough)) break;
    if (calls + one.calls > MAX_CALLS) continue;
    chosen.push(one);
    [covered, calls] = [covered.plus(one.lost), calls + one.calls];
  }
  return chosen;
}

/** Returns the transcripts with sessions that lost money for the cause, the largest loss first. */
function transcriptsOf(sessions: readonly AuditSession[], cause: LossCause): readonly ChosenTranscript[] {
  return [...Map.groupBy(sessions, ({ path }) => path)]
    .map(([path, own]) => {
      const sum = (of: (one: AuditSession) => number): number => own.reduce((all, one) => all + of(one), 0);
      const ttl: ChosenTranscript['ttl'] = sum((one) => 2 * one.writtenForHour - one.written) > 0 ? '1h' : '5m';
      const costs = own.map(({ causes }) => causes.find((one) => one.cause === cause)?.cost ?? 0);
      return { path, lost: Decimal.sum(0, ...costs), calls: sum(({ calls }) => calls), ttl };
    })
    .filter(({ lost }) => lost.gt(0))
    .toSorted((a, b) => b.lost.cmp(a.lost));
}

/** Options of all replays, and the calls that count. */
interface Replays extends AdviseOptions {
  /** Earliest time of the calls that count. */
  readonly since: string;
  /** Calls of the transcripts that were replayed before. A copy of such a call does not count. */
  readonly counted: Set<string>;
}

/** Bills of one transcript: as it was recorded, and with each change. */
interface TranscriptBills {
  readonly transcript: ChosenTranscript;
  readonly calls: number;
  readonly before: Decimal;
  /** Bill with a change. Absent if not every call can be replayed with the change. */
  readonly after: ReadonlyMap<AdvisedChange, Decimal>;
}

async function billTranscript(
  transcript: ChosenTranscript,
  changes: readonly AdvisedChange[],
  replays: Replays,
): Promise<TranscriptBills | undefined> {
  try {
    const { path } = transcript;
    if ((await sizeOf(path)) > MAX_BYTES) return undefined;
    const source = replays.createStore();
    const { sessions, calls } = await importInto(source, path);
    return calls > MAX_CALLS ? undefined : await billChanges(transcript, { source, sessions }, changes, replays);
  } catch (error) {
    if (replays.signal?.aborted === true || isMissing(error)) return undefined;
    throw error;
  }
}

/** Returns the size of a file in bytes. Returns 0 if there is no file, as for a session in a database. */
async function sizeOf(path: string): Promise<number> {
  const found = await stat(path).catch(() => undefined);
  return found?.size ?? 0;
}

/** Returns true for a transcript that was removed or can no longer be read since the audit read it. */
function isMissing(error: unknown): boolean {
  return error instanceof TidemarkError && error.code.startsWith('import/');
}

async function billChanges(
  transcript: ChosenTranscript,
  imported: Pick<ReplayOptions, 'source' | 'sessions'>,
  changes: readonly AdvisedChange[],
  replays: Replays,
): Promise<TranscriptBills | undefined> {
  const { ttl } = transcript;
  const { createStore, catalog, counted } = replays;
  const bill = (settings: Partial<ReplayOptions>): Promise<ReplayedBill> =>
    billReplay({ ...imported, target: createStore(), catalog, name: replayName, ttl, ...settings }, replays);
  const asSent = await bill({});
  if (asSent.standIns > 0 || asSent.refused > 0 || asSent.calls.length === 0) return undefined;
  const after = new Map<AdvisedChange, Decimal>();
  for (const change of changes) {
    const own = SETTINGS[change];
    const changed = own === undefined || own.ttl === ttl ? asSent : await bill(own);
    // A call that does not fit into the window of another model has no cost, which would look like a saving.
    if (changed.refused === 0 && changed.calls.length === asSent.calls.length) after.set(change, changed.replayed);
  }
  for (const call of asSent.calls) counted.add(call);
  const before = changes.includes('same-prefix') ? asSent.recorded : asSent.replayed;
  return { transcript, calls: asSent.calls.length, before, after };
}

/** Replay options of a change. `undefined` for the replay itself, because it keeps the prefix as it was sent. */
const SETTINGS: Readonly<Record<AdvisedChange, Partial<ReplayOptions> | undefined>> = {
  'one-hour': { ttl: '1h' },
  'five-minutes': { ttl: '5m' },
  'keep-warm': { warm: 'refresh' },
  'same-settings': { settings: 'first' },
  'same-prefix': undefined,
};

/** Bill of a replay, and of the recording for the same calls, in US dollars. */
interface ReplayedBill {
  readonly recorded: Decimal;
  readonly replayed: Decimal;
  /** Names of the calls in the bill. */
  readonly calls: readonly string[];
  readonly standIns: number;
  readonly refused: number;
}

async function billReplay(
  options: ReplayOptions,
  { since, signal, counted }: Pick<Replays, 'since' | 'signal' | 'counted'>,
): Promise<ReplayedBill> {
  const calls: string[] = [];
  let [recorded, replayed] = [new Decimal(0), new Decimal(0)];
  const result = await replay({
    ...options,
    onCall: ({ recorded: call, row, usage }) => {
      signal?.throwIfAborted();
      const name = nameOfCall(call);
      if (call.data.billed !== undefined || call.startedAt < since || counted.has(name)) return;
      const was = costAt(row.capabilities, call.startedAt, call.usage);
      const { answer, reasoning } = call.usage;
      const is =
        usage && costAt(row.capabilities, call.startedAt, { ...usage, answer: (answer ?? 0) + (reasoning ?? 0) });
      // A call counts in both sums or in none.
      if (was === undefined || is === undefined) return;
      calls.push(name);
      [recorded, replayed] = [recorded.plus(was), replayed.plus(is)];
    },
    onWarm: ({ prepared: { record, capabilities }, usage }) => {
      if (record.at >= since) replayed = replayed.plus(costAt(capabilities, record.at, usage) ?? 0);
    },
  });
  return { recorded, replayed, calls, standIns: result.standIns.length, refused: result.refused };
}

/** Returns a name of a call that its copies in other transcripts share. */
function nameOfCall({ data, startedAt, input }: RecordedCall): string {
  const response = 'response' in data ? data.response : undefined;
  return JSON.stringify([response ?? startedAt, data.model, input]);
}

function costAt(row: Capabilities, at: Timestamp, usage: Usage): string | undefined {
  const input = inputTokens(usage);
  const price = input === undefined ? undefined : priceAt(row, at.slice(0, 10), input);
  return price && costOf(price, usage)?.total;
}

const NOTHING = new Decimal(0);

function adviceOf(
  cause: LossCause,
  lost: string,
  changes: readonly AdvisedChange[],
  bills: readonly TranscriptBills[],
): Advice {
  const sum = (of: (bill: TranscriptBills) => Decimal): Decimal =>
    bills.reduce((all, one) => all.plus(of(one)), NOTHING);
  const before = sum((one) => one.before);
  const known = changes.filter((change) => bills.every(({ after }) => after.has(change)));
  const effects = known.map((change) => {
    const cost = sum(({ after }) => after.get(change) ?? NOTHING);
    return { change, cost: cost.toFixed(), saving: before.minus(cost).toFixed() };
  });
  return {
    cause,
    transcripts: bills.length,
    calls: bills.reduce((all, one) => all + one.calls, 0),
    share: sum((one) => one.transcript.lost)
      .div(lost)
      .toNumber(),
    before: before.toFixed(),
    effects: effects.toSorted((a, b) => Number(b.saving) - Number(a.saving)),
  };
}
