// Decides if old tool results are shortened now, and selects these results. A result may be shortened if a later result
// or a change of its file superseded it. If the window is at least half full, a result may also be shortened if nothing
// used it in the latest turns. Results are always shortened in a batch. A batch takes effect with an epoch.

import { defined } from '@tidemark/core';
import type { EpochCause, HistoryPruned, Timestamp } from '@tidemark/log';
import { milliseconds } from '@tidemark/log';
import type { Capabilities, Ttl } from '@tidemark/model';
import { multiplier } from '@tidemark/model';
import { itemAt } from '../base/append-only.ts';
import { isAlive, isOfOther } from '../cache/entries.ts';
import type { RequestSpec } from '../epoch/epoch.ts';
import { neededEpoch } from '../epoch/epoch.ts';
import type { Need } from '../epoch/needed-change.ts';
import { rewriteCost } from '../forecast/miss.ts';
import { ratesOf, unitPrice } from '../money/bill.ts';
import type { Gauge } from '../pressure/gauge.ts';
import { inModelTokens } from '../pressure/next-input.ts';
import type { CacheEntry, State } from '../state/state.ts';
import type { PruningBatch, Readable } from './batch.ts';
import { allOf, batchesOf, resultsOf } from './batch.ts';
import type { OldResults, Totals } from './prunable.ts';
import { oldResults } from './prunable.ts';
import type { Grounds } from './uses.ts';
import { GROUNDS, groundsOf } from './uses.ts';

/** Input of `planPruning`. */
export interface PruningInput {
  /** State in which all calls of the last answer are closed. */
  readonly state: State;
  readonly wanted: RequestSpec;
  /** Action that the next request needs even without a pruning: see `neededChange`. */
  readonly need: Need;
  readonly capabilities: Capabilities;
  readonly at: Timestamp;
  /** Provider account that sends the next request. Absent if unknown. */
  readonly account?: string | undefined;
  /** Cache key of the next request. Absent if the provider finds cache entries by their bytes alone. */
  readonly key?: string | undefined;
  /** Lifetime (TTL) for newly written cache entries. */
  readonly ttl: '5m' | '1h';
  /** Gauge of the next request, which shows how full the window is. */
  readonly gauge: Pick<Gauge, 'tier' | 'ratio' | 'bytes' | 'bytesLimit' | 'input'>;
  /** Input tokens at which the runtime compacts automatically. Absent if the runtime does not compact automatically. */
  readonly compactsAt?: number;
}

/** Tool that reads back what a shortened result omits. Nothing is shortened if this tool is not offered (L6). */
const READS_BACK = 'history_read';
/**
 * Share of the window that must be full before the runtime may shorten results that are only unused, not superseded.
 */
const HALF = 0.5;
/**
 * Minimum share of the sent tokens that a batch with its own epoch must free. Without this minimum, many small prunings
 * could each break the prefix.
 */
const MIN_FREED = 0.05;
/** Maximum number of calls since the last edit that are examined. The cache entries of older calls are not stored. */
const CALLS = 16;
/**
 * Number of calls after an edit during which no batch is shortened for the cause `pays`. The first call writes the
 * edited history, and the next reads it.
 */
const SETTLED = 2;
/**
 * Factor for the cost of the break. A batch is shortened only if reading its tokens so far has cost at least this
 * factor times the cost of the break. The factor is above 1, because a tier opens only one epoch for pruning. This
 * epoch must not open too early.
 */
const PAID = 2;
/**
 * Limit for a nearly full window, in calls. After this number of calls, the saving by a batch must be at least the cost
 * of its break. The limit is about the number of steps in one turn.
 */
const PRESSED = 40;

/**
 * Batch with the cause of its pruning. `waits` is the number of calls after which the saving by the batch must be at
 * least the cost of its break.
 */
interface Choice {
  readonly batch: PruningBatch;
  readonly cause: 'together' | 'expired' | 'pays' | 'warning';
  readonly waits: number;
}

/** True for the causes of epochs whose first request writes the whole history to the cache again in any case. */
const SENDS_ANEW: Readonly<Record<EpochCause, boolean>> = {
  initial: false,
  model: true,
  reasoning: true,
  parameters: true,
  tools: true,
  skills: true,
  contract: true,
  role: true,
  compaction: true,
  pruning: false,
  quarantine: false,
};

/** Prices relative to fresh input. `call` is the price of the input that one more call reads. */
interface PruningRates {
  readonly read: number;
  readonly write: number;
  readonly call: number;
}

/**
 * Returns the pruning to record. Returns `undefined` if there is nothing to shorten or no reason to shorten it. The
 * running time is proportional to the new part of the history.
 */
export function planPruning(input: PruningInput): HistoryPruned | undefined {
  if (!input.wanted.texts.tools.some(({ record }) => record.name === READS_BACK)) return undefined;
  const old = oldResults(input.state);
  const chosen = old.found.length > 0 ? choose(input, old) : undefined;
  return chosen && prunedData(input, old, chosen);
}

function choose(input: PruningInput, old: OldResults): Choice | undefined {
  const { need, gauge } = input;
  const rates = ratesAt(input, old);
  const grounds = groundsAllowed(gauge);
  if (need.do === 'epoch' && !SENDS_ANEW[need.cause]) return undefined;
  const free = allOf(old, grounds, (totals) => savedAtOnce(totals, rates) > 0);
  if (need.do === 'epoch') return free && { batch: free, cause: 'together', waits: 0 };
  if (need.do === 'append' || hadItsEpoch(input)) return undefined;
  if (!isWarm(input)) return free && isLarge(free, old) ? { batch: free, cause: 'expired', waits: 0 } : undefined;
  const readable = readableOf(input, callsSinceEdit(input.state));
  return choosePaid(input, old, readable, rates) ?? chooseUnderPressure(input, old, readable, rates);
}

/**
 * Returns the grounds on which results may be shortened now. Below half of the window, results that are only unused
 * stay whole.
 */
function groundsAllowed({ ratio = 0, bytes, bytesLimit }: PruningInput['gauge']): readonly Grounds[] {
  const full = Math.max(ratio, bytesLimit === undefined ? 0 : bytes / bytesLimit);
  return full >= HALF ? GROUNDS : GROUNDS.filter((one) => one !== 'unused');
}

/**
 * Checks if this tier already opened an epoch for pruning since the current checkpoint. A second such epoch would break
 * the prefix again.
 */
function hadItsEpoch({ state: { prunings, epoch }, gauge }: PruningInput): boolean {
  const checkpoint = epoch?.opened.checkpoint ?? -1;
  const tier = tierOf(gauge);
  return prunings.some((one) => one.cause !== 'together' && one.position > checkpoint && one.tier === tier);
}

function tierOf({ tier }: PruningInput['gauge']): HistoryPruned['tier'] {
  return tier === 'unknown' ? undefined : tier;
}

function isLarge({ freed }: PruningBatch, { sent }: OldResults): boolean {
  return freed >= MIN_FREED * sent;
}

/**
 * Checks if an epoch that opens only for pruning keeps the front unchanged. If the front changed too, the epoch would
 * also break the prefix before the results.
 */
function keepsFront({ state, wanted }: PruningInput): boolean {
  return neededEpoch(state, wanted) === undefined && state.epoch?.inForce.appended !== true;
}

/**
 * Checks if the next request can read the history from the cache. Otherwise the request writes the history again, with
 * or without pruning.
 */
function isWarm(input: PruningInput): boolean {
  return input.state.cache.entries.some((entry) => entry.section === 'messages' && isCached(entry, input));
}

/** Checks if a cache entry is alive and belongs to the account and the cache key of the next request. */
function isCached(entry: CacheEntry, { at, account, key }: PruningInput): boolean {
  return isAlive(entry, milliseconds(at)) && !isOfOther(entry, account) && entry.key === key;
}

/**
 * Returns the batch with the largest gain, or `undefined`. A batch is considered only if the tokens that it frees were
 * read often enough. The cost of these reads must be at least twice the cost of its break plus the expected cost of
 * fetching. The remaining length of a session is unknown, so only past reads are counted. While a batch waits, more
 * results become old and are added to it.
 */
function choosePaid(
  input: PruningInput,
  old: OldResults,
  readable: Readable,
  rates: PruningRates | undefined,
): Choice | undefined {
  if (rates === undefined || callsSinceEdit(input.state) < SETTLED || !keepsFront(input)) return undefined;
  const gain = (totals: Totals): number => (totals.read * rates.read) / PAID;
  const takes = (totals: Totals): boolean => gain(totals) > addedCost(totals, rates);
  const left = callsLeft(input, old);
  const inTime = (batch: PruningBatch): boolean => costOf(batch, rates) <= left * batch.freed * rates.read;
  const all = batchesOf(old, readable, groundsAllowed(input.gauge), takes);
  const batches = all.filter((batch) => isLarge(batch, old) && inTime(batch));
  const gains = batches.map((batch) => gain(batch) - costOf(batch, rates));
  const most = Math.max(0, ...gains);
  const batch = most > 0 ? batches[gains.indexOf(most)] : undefined;
  return batch && { batch, cause: 'pays', waits: Math.ceil(batch.read / batch.freed / PAID) };
}

/**
 * Returns the batch that frees most in a nearly full window. The saving by the batch must reach its cost within
 * `PRESSED` calls and before the next compaction. Returns `undefined` if the window is not nearly full or if there is
 * no such batch.
 */
function chooseUnderPressure(
  input: PruningInput,
  old: OldResults,
  readable: Readable,
  rates: PruningRates | undefined,
): Choice | undefined {
  const pressing = input.gauge.tier === 'warning' || input.gauge.tier === 'critical';
  if (!pressing) return undefined;
  const calls = Math.min(PRESSED, callsLeft(input, old));
  const gain = (totals: Totals): number => calls * totals.freed * (rates?.read ?? 0);
  const takes = (totals: Totals): boolean =>
    rates === undefined ? isSeldomNeeded(totals) : gain(totals) > addedCost(totals, rates);
  const batches = batchesOf(old, readable, groundsAllowed(input.gauge), takes);
  const pays = (batch: PruningBatch): boolean => rates === undefined || gain(batch) >= costOf(batch, rates);
  const [batch] = batches.filter((one) => isLarge(one, old) && pays(one)).toSorted((a, b) => b.freed - a.freed);
  return batch && { batch, cause: 'warning', waits: calls };
}

/**
 * Returns the number of calls left before a compaction, at the growth rate of the latest calls. The saving by a batch
 * must reach its cost within these calls, because the compaction frees more and rewrites less. Returns Infinity if no
 * compaction is expected.
 */
function callsLeft({ state, gauge: { input }, compactsAt }: PruningInput, { spans: { tokens } }: OldResults): number {
  if (compactsAt === undefined || input === undefined) return Infinity;
  const { packed } = state.history;
  let [calls, index] = [0, packed.length - 1];
  for (; index > 0 && calls < CALLS; index -= 1) if (itemAt(packed, index)?.role === 'assistant') calls += 1;
  const grown = inModelTokens(state, (tokens.at(-1) ?? 0) - (tokens[index + 1] ?? 0)).tokens;
  return grown <= 0 ? Infinity : Math.floor((Math.max(0, compactsAt - input) * calls) / grown);
}

/**
 * Returns the places where requests after the last edit ended, if the cache still contains an entry there. The history
 * up to these places has not changed after it was sent.
 */
function readableOf(input: PruningInput, since: number): Readable {
  const { cache, streams } = input.state;
  const anywhere = input.capabilities.implicit?.at === 'grid';
  const accepted = streams['main']?.accepted;
  if (accepted === undefined) return { entries: [], anywhere };
  const { counts, sequence } = accepted.prepared;
  const front = counts.tools + counts.system;
  const known = cache.entries.filter(
    ({ section, beside, parameters }) =>
      section === 'messages' && !beside && parameters.messages === sequence.parameters.messages,
  );
  const alive = known.slice(Math.max(0, known.length - since)).filter((entry) => isCached(entry, input));
  return { entries: alive.map(({ block }) => block + 1 - front), anywhere };
}

/** Returns the number of calls since the sent history was last edited, at most `CALLS`. */
function callsSinceEdit({ history: { packed }, epoch }: State): number {
  const edited = epoch?.edited ?? -1;
  let calls = 0;
  for (let index = packed.length - 1; index >= 0 && calls < CALLS; index -= 1) {
    const span = itemAt(packed, index);
    if (span === undefined || span.group <= edited) break;
    if (span.role === 'assistant') calls += 1;
  }
  return calls;
}

/** Returns the expected cost of fetching results again, in tokens at the base input price. */
function fetchCost({ refetched, refetches }: Totals, { write, call }: PruningRates): number {
  return refetched * write + refetches * call;
}

/**
 * Returns the cost of a batch, in tokens at the base input price. It is the cost of writing again, minus the cost of
 * reading, plus the cost of fetching results again.
 */
function costOf(batch: PruningBatch, rates: PruningRates): number {
  return batch.rewritten * moreOf(rates) + fetchCost(batch, rates);
}

/**
 * Returns the change in the cost of a break if these results are shortened with it. The cost falls because less is
 * written again. It rises because the model fetches some of the results again. A saving is negative.
 */
function addedCost(totals: Totals, rates: PruningRates): number {
  return fetchCost(totals, rates) - totals.freed * moreOf(rates);
}

/**
 * Returns the saving if the history is written again in any case, in tokens at the base input price. Without a price,
 * returns 1 for results that are seldom needed and 0 for others.
 */
function savedAtOnce(totals: Totals, rates: PruningRates | undefined): number {
  if (rates === undefined) return isSeldomNeeded(totals) ? 1 : 0;
  return totals.freed * rates.write - fetchCost(totals, rates);
}

function isSeldomNeeded({ refetches, count }: Totals): boolean {
  return refetches < count / 2;
}

function moreOf({ read, write }: PruningRates): number {
  return Math.max(0, write - read);
}

function ratesAt({ capabilities, at, ttl, state }: PruningInput, { sent }: OldResults): PruningRates | undefined {
  const price = unitPrice(capabilities, at, inputOf(state));
  if (price === undefined) return undefined;
  const { read, write } = ratesOf(price);
  return { read: read.toNumber(), write: Number(multiplier(price, ttl) ?? write), call: sent * read.toNumber() };
}

function inputOf({ streams }: State): number {
  return streams['main']?.accepted?.input ?? 0;
}

function prunedData(input: PruningInput, old: OldResults, { batch, cause, waits }: Choice): HistoryPruned {
  const { capabilities, at, state, gauge } = input;
  const { freed, rewritten: tokens } = batch;
  const results = resultsOf(old, batch, ({ use }) => groundsOf(use));
  const cost = rewriteCost({ capabilities, at, input: inputOf(state), tokens, ttl: lifeOf(input) });
  const breakEven = breakEvenOf(batch, cause, ratesAt(input, old));
  const tier = tierOf(gauge);
  return defined({
    calls: results.map(({ call }) => call),
    results: results.map(({ position, cut }) => ({ position, ...cut })),
    freed,
    cost,
    breakEven,
    waits,
    tier,
    cause,
  });
}

/**
 * Returns the number of calls after which the saving by a batch is at least its cost. Returns 0 if the history is
 * written again in any case. Returns `undefined` without a price.
 */
function breakEvenOf(batch: PruningBatch, cause: Choice['cause'], rates: PruningRates | undefined): number | undefined {
  if (cause === 'together' || cause === 'expired') return 0;
  const perCall = batch.freed * (rates?.read ?? 0);
  return rates === undefined || perCall === 0 ? undefined : Math.ceil(costOf(batch, rates) / perCall);
}

function lifeOf({ capabilities: { ttls }, ttl }: PruningInput): Ttl | undefined {
  return ttls.includes(ttl) ? ttl : ttls[0];
}
