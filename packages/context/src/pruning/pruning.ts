// Decides whether old tool results are shortened now, and which. Only a result that was superseded, or that nothing used in the
// latest turns in a window that is half full, may be shortened. Always a batch; an epoch takes it up.

import { defined } from '@tidemark/core';
import type { EpochCause, HistoryPruned, Timestamp } from '@tidemark/log';
import { milliseconds } from '@tidemark/log';
import type { Capabilities, Ttl } from '@tidemark/model';
import { multiplier } from '@tidemark/model';
import { itemAt } from '../base/append-only.ts';
import { isAlive } from '../cache/entries.ts';
import type { RequestSpec } from '../epoch/epoch.ts';
import { neededEpoch } from '../epoch/epoch.ts';
import type { Need } from '../epoch/needed-change.ts';
import { rewriteCost } from '../forecast/miss.ts';
import { ratesOf, unitPrice } from '../money/bill.ts';
import type { Gauge } from '../pressure/gauge.ts';
import { inModelTokens } from '../pressure/next-input.ts';
import type { State } from '../state/state.ts';
import type { PruningBatch, Readable } from './batch.ts';
import { allOf, batchesOf, resultsOf } from './batch.ts';
import type { OldResults, Totals } from './prunable.ts';
import { oldResults } from './prunable.ts';
import type { Grounds } from './uses.ts';
import { GROUNDS, groundsOf } from './uses.ts';

/** What the decision depends on. */
export interface PruningInput {
  /** With all calls of the last answer closed. */
  readonly state: State;
  readonly wanted: RequestSpec;
  /** What the next request needs in any case. */
  readonly need: Need;
  readonly capabilities: Capabilities;
  readonly at: Timestamp;
  /** How long what is written shall live. */
  readonly ttl: '5m' | '1h';
  /** How full the window of the next request is. */
  readonly gauge: Pick<Gauge, 'tier' | 'ratio' | 'bytes' | 'bytesLimit' | 'input'>;
  /** Input tokens from which the runtime compacts by itself; absent where it does not. */
  readonly compactsAt?: number;
}

/** The tool that reads what a result no longer shows: where it is not offered, nothing is shortened (L6). */
const READS_BACK = 'history_read';
/** Share of the window from which a result that was not superseded may be shortened. */
const HALF = 0.5;
/** What a batch with an epoch of its own frees at least, as a share of what was sent: less would be a window that slides. */
const LEAST = 0.05;
/** Of how many calls since the last edit is asked where they ended: as many as the cache is remembered of. */
const CALLS = 16;
/** Calls after an edit before which no batch is shortened because it pays: the first has written it, and the next reads it. */
const SETTLED = 2;
/** How often over a break is paid before it is made: a tier has only one. */
const PAID = 2;
/** Calls in which a batch must have paid for its break in a window that grows full: about a turn of steps. */
const PRESSED = 40;

/** A batch, why it is shortened now, and in how many calls it has to pay for its break. */
interface Choice {
  readonly batch: PruningBatch;
  readonly cause: 'together' | 'expired' | 'pays' | 'warning';
  readonly waits: number;
}

/** Epochs whose first request sends the whole history anew in any case. */
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

/** Prices over the price of fresh input; of one more call, what it reads. */
interface PruningRates {
  readonly read: number;
  readonly write: number;
  readonly call: number;
}

/** Decides. `undefined` where there is nothing to shorten, or no reason to. The cost follows what is new. */
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

/** Below half of the window a result that nothing stands for stays as it is. */
function groundsAllowed({ ratio = 0, bytes, bytesLimit }: PruningInput['gauge']): readonly Grounds[] {
  const full = Math.max(ratio, bytesLimit === undefined ? 0 : bytes / bytesLimit);
  return full >= HALF ? GROUNDS : GROUNDS.filter((one) => one !== 'unused');
}

/** Whether this tier has had its epoch behind the checkpoint in force: a second one would be a window that slides. */
function hadItsEpoch({ state: { prunings, epoch }, gauge }: PruningInput): boolean {
  const behind = epoch?.opened.checkpoint ?? -1;
  const tier = tierOf(gauge);
  return prunings.some((one) => one.cause !== 'together' && one.position > behind && one.tier === tier);
}

function tierOf({ tier }: PruningInput['gauge']): HistoryPruned['tier'] {
  return tier === 'unknown' ? undefined : tier;
}

function isLarge({ freed }: PruningBatch, { sent }: OldResults): boolean {
  return freed >= LEAST * sent;
}

/** Whether an epoch of its own leaves the front as it is: else it would break what stands before the results too. */
function keepsFront({ state, wanted }: PruningInput): boolean {
  return neededEpoch(state, wanted) === undefined && state.epoch?.inForce.appended !== true;
}

/** Whether the provider still holds the history: if not, it is written again whatever is shortened. */
function isWarm({ state, at }: PruningInput): boolean {
  const now = milliseconds(at);
  return state.cache.entries.some((entry) => entry.section === 'messages' && isAlive(entry, now));
}

/**
 * The batch that was paid for by most, if one was: to read it has cost twice as much by now as to shorten it, and to fetch of it again
 * what is expected to be needed. How long a session goes on is not known, so a break waits until it was paid by what it frees alone.
 * While one waits, others grow old that it takes along.
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

/** In a window that grows full, the batch that frees most of those that pay for themselves soon enough. */
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
 * Returns the calls that are left before a compaction, at the pace of the latest calls. A batch has no more of them to pay for itself:
 * the compaction rewrites less, and frees more.
 */
function callsLeft({ state, gauge: { input }, compactsAt }: PruningInput, { spans: { tokens } }: OldResults): number {
  if (compactsAt === undefined || input === undefined) return Infinity;
  const { packed } = state.history;
  let [calls, index] = [0, packed.length - 1];
  for (; index > 0 && calls < CALLS; index -= 1) if (itemAt(packed, index)?.role === 'assistant') calls += 1;
  const grown = inModelTokens(state, (tokens.at(-1) ?? 0) - (tokens[index + 1] ?? 0)).tokens;
  return grown <= 0 ? Infinity : Math.floor((Math.max(0, compactsAt - input) * calls) / grown);
}

/** Where requests since the last edit ended, as far as the cache holds that: what stands there still is as it was sent. */
function readableOf({ state: { cache, streams }, capabilities, at }: PruningInput, since: number): Readable {
  const anywhere = capabilities.implicit?.at === 'grid';
  const accepted = streams['main']?.accepted;
  if (accepted === undefined) return { entries: [], anywhere };
  const { counts, sequence } = accepted.prepared;
  const front = counts.tools + counts.system;
  const known = cache.entries.filter(
    ({ section, beside, parameters }) =>
      section === 'messages' && !beside && parameters.messages === sequence.parameters.messages,
  );
  const alive = known.slice(Math.max(0, known.length - since)).filter((entry) => isAlive(entry, milliseconds(at)));
  return { entries: alive.map(({ block }) => block + 1 - front), anywhere };
}

/** Calls since what was sent was last edited, up to so many. */
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

/** Returns what fetching again is expected to cost, in tokens at the base input price. */
function fetchCost({ refetched, refetches }: Totals, { write, call }: PruningRates): number {
  return refetched * write + refetches * call;
}

/** Returns what a batch costs, in tokens at the base input price: its break above reading the same, and fetching again. */
function costOf(batch: PruningBatch, rates: PruningRates): number {
  return batch.rewritten * moreOf(rates) + fetchCost(batch, rates);
}

/** Returns what some results add to the cost of a break: they are not written again, but some are fetched again. */
function addedCost(totals: Totals, rates: PruningRates): number {
  return fetchCost(totals, rates) - totals.freed * moreOf(rates);
}

/** Returns what is saved where the history is written again anyway; a guess where no price is known. */
function savedAtOnce(totals: Totals, rates: PruningRates | undefined): number {
  if (rates === undefined) return isSeldomNeeded(totals) ? 1 : 0;
  return totals.freed * rates.write - fetchCost(totals, rates);
}

function isSeldomNeeded({ refetches, count }: Totals): boolean {
  return refetches < count / 2;
}

/** What writing costs above reading. */
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

/** Returns the calls after which a batch has paid for itself; none where it is written for the first time as it is. */
function breakEvenOf(batch: PruningBatch, cause: Choice['cause'], rates: PruningRates | undefined): number | undefined {
  if (cause === 'together' || cause === 'expired') return 0;
  const perCall = batch.freed * (rates?.read ?? 0);
  return rates === undefined || perCall === 0 ? undefined : Math.ceil(costOf(batch, rates) / perCall);
}

function lifeOf({ capabilities: { ttls }, ttl }: PruningInput): Ttl | undefined {
  return ttls.includes(ttl) ? ttl : ttls[0];
}
