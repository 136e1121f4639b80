// Whether old tool results are shortened now, and which: where to read them has cost more by now than to send again what stands
// behind them, where that is sent again anyway, or where the window grows full. Always a batch; an epoch takes it up.

import type { EpochCause, HistoryPruned, Timestamp } from '@tidemark/log';
import { milliseconds } from '@tidemark/log';
import type { Capabilities, Ttl } from '@tidemark/model';
import { multiplier } from '@tidemark/model';
import { itemAt, slice } from './append-only.ts';
import type { Batch, Readable } from './batch.ts';
import { allOf, batchesOf } from './batch.ts';
import { ratesOf, unitPrice } from './bill.ts';
import { isAlive } from './entries.ts';
import type { Wanted } from './epoch.ts';
import { neededEpoch } from './epoch.ts';
import { rewriteCost } from './miss.ts';
import type { Need } from './needed-change.ts';
import type { Prunable, Prunables } from './prunable.ts';
import { prunableResults } from './prunable.ts';
import type { State } from './state.ts';

/** What the decision depends on. */
export interface PruningInput {
  /** With all calls of the last answer closed. */
  readonly state: State;
  readonly wanted: Wanted;
  /** What the next request needs in any case. */
  readonly need: Need;
  readonly capabilities: Capabilities;
  readonly at: Timestamp;
  /** How long what is written shall live. */
  readonly ttl: '5m' | '1h';
  /** The window grows full: room counts, whatever it costs. */
  readonly pressing?: boolean;
}

/** The tool that reads what a result no longer shows: where it is not offered, nothing is shortened (L6). */
const READS_BACK = 'history_read';
/** What a batch with an epoch of its own frees at least, as a share of what was sent: less would be a window that slides. */
const LEAST = 0.05;
/** Of how many calls since the last edit is asked where they ended: as many as the cache is remembered of. */
const CALLS = 16;
/** Calls after an edit before which no batch is shortened because it pays: the first has written it, and the next reads it. */
const SETTLED = 2;

/** A batch, and why it is shortened now. */
interface Choice {
  readonly batch: Batch;
  readonly cause: 'together' | 'expired' | 'pays' | 'warning';
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

/** Prices over the price of fresh input. */
interface Rates {
  readonly read: number;
  readonly write: number;
}

/** Decides. `undefined` where there is nothing to shorten, or no reason to. The cost follows what is new. */
export function planPruning(input: PruningInput): HistoryPruned | undefined {
  if (!input.wanted.texts.tools.some(({ record }) => record.name === READS_BACK)) return undefined;
  const prunables = prunableResults(input.state);
  const chosen = prunables.freed > 0 ? choose(input, prunables) : undefined;
  return chosen && recorded(input, slice(prunables.results, chosen.batch.first), chosen);
}

function choose(input: PruningInput, prunables: Prunables): Choice | undefined {
  const { need } = input;
  const free = allOf(prunables);
  if (need.do === 'epoch') return SENDS_ANEW[need.cause] ? { batch: free, cause: 'together' } : undefined;
  if (need.do === 'append' || free.freed < LEAST * prunables.sent) return undefined;
  if (!isWarm(input)) return { batch: free, cause: 'expired' };
  const since = callsSinceEdit(input.state);
  const batches = batchesOf(prunables, readableOf(input, since));
  const best = since >= SETTLED && keepsFront(input) ? bestOf(input, prunables, batches) : undefined;
  if (best !== undefined) return { batch: best, cause: 'pays' };
  const [all] = batches;
  return input.pressing === true && all !== undefined ? { batch: all, cause: 'warning' } : undefined;
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
 * The batch that was paid for by most, if one was: to read it has cost more by now than to shorten it. How long a session goes on
 * is not known, so a break waits until it was paid once over, by what it frees alone: all breaks of a session cost no more than
 * it had cost to read what they freed. While one waits, others grow old that it takes along.
 */
function bestOf(input: PruningInput, prunables: Prunables, batches: readonly Batch[]): Batch | undefined {
  const rates = ratesAt(input);
  if (rates === undefined) return undefined;
  const large = batches.filter(({ freed }) => freed >= LEAST * prunables.sent);
  const gains = large.map((batch) => batch.read * rates.read - breakCost(batch, rates));
  const most = Math.max(0, ...gains);
  return most > 0 ? large[gains.indexOf(most)] : undefined;
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

/** In tokens at the base input price, above reading the same. */
function breakCost({ rewritten }: Batch, { read, write }: Rates): number {
  return rewritten * Math.max(0, write - read);
}

function ratesAt({ capabilities, at, ttl, state }: PruningInput): Rates | undefined {
  const price = unitPrice(capabilities, at, inputOf(state));
  if (price === undefined) return undefined;
  const { read, write } = ratesOf(price);
  return { read: read.toNumber(), write: Number(multiplier(price, ttl) ?? write) };
}

function inputOf({ streams }: State): number {
  return streams['main']?.accepted?.input ?? 0;
}

function recorded(input: PruningInput, results: readonly Prunable[], { batch, cause }: Choice): HistoryPruned {
  const { capabilities, at, state } = input;
  const { freed, rewritten: tokens } = batch;
  const cost = rewriteCost({ capabilities, at, input: inputOf(state), tokens, ttl: lifeOf(input) });
  const rates = ratesAt(input);
  const perCall = rates === undefined ? 0 : freed * rates.read;
  return {
    calls: results.map(({ call }) => call),
    results: results.map(({ position, kept }) => ({ position, kept })),
    freed,
    ...(cost === undefined ? {} : { cost }),
    ...(rates === undefined || perCall === 0 ? {} : { breakEven: Math.ceil(breakCost(batch, rates) / perCall) }),
    cause,
  };
}

function lifeOf({ capabilities: { ttls }, ttl }: PruningInput): Ttl | undefined {
  return ttls.includes(ttl) ? ttl : ttls[0];
}
