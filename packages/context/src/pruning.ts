// Whether old tool results are shortened now, and which: where what they take from now on costs more than to send again what
// stands behind them, where that is sent again anyway, or where the window grows full. Always a batch; an epoch takes it up.

import type { EpochCause, HistoryPruned, Timestamp } from '@tidemark/log';
import { milliseconds } from '@tidemark/log';
import type { Capabilities, Ttl } from '@tidemark/model';
import { multiplier } from '@tidemark/model';
import { itemAt, slice } from './append-only.ts';
import { bestStart } from './best-start.ts';
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
/** Of how many calls since the last edit is asked what they read, at most. */
const CALLS = 80;

/** All results from one on, and what it means to shorten them. Tokens are estimates. */
interface Batch {
  readonly first: number;
  readonly freed: number;
  /** What was sent before, and is written again. */
  readonly rewritten: number;
}

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
  const all = batchFrom(prunables, 0);
  const free = { ...all, rewritten: 0 };
  if (need.do === 'epoch') return SENDS_ANEW[need.cause] ? { batch: free, cause: 'together' } : undefined;
  if (need.do === 'append' || all.freed < LEAST * prunables.sent) return undefined;
  if (!isWarm(input)) return { batch: free, cause: 'expired' };
  const best = keepsFront(input) ? bestOf(input, prunables) : undefined;
  if (best !== undefined) return { batch: best, cause: 'pays' };
  return input.pressing === true ? { batch: all, cause: 'warning' } : undefined;
}

/** What is shortened first decides how far back the prefix breaks. */
function batchFrom({ results, freed: all, end }: Prunables, first: number): Batch {
  const { freedBefore = all, packedBefore = end } = itemAt(results, first) ?? {};
  const freed = all - freedBefore;
  return { first, freed, rewritten: end - packedBefore - freed };
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

/** The batch that saves most over the calls that are expected, if one saves anything. */
function bestOf(input: PruningInput, prunables: Prunables): Batch | undefined {
  const rates = ratesAt(input);
  if (rates === undefined) return undefined;
  const calls = expectedCalls(input.state);
  const worth = { freed: rates.read * calls, rewritten: Math.max(0, rates.write - rates.read) };
  const best = batchFrom(prunables, bestStart(prunables, LEAST * prunables.sent, worth));
  return best.freed * worth.freed > best.rewritten * worth.rewritten ? best : undefined;
}

/**
 * For how many calls a batch is expected to save what it frees: half as many as were made since what was sent was last edited.
 * What a batch frees has grown over these calls, so that this is what they have paid for it. A break is so made when it has been
 * paid once over, which costs at most twice the best that could be done, however long the session goes on; and the batches of
 * a session stand as far apart as its results are small.
 */
function expectedCalls({ history: { packed }, epoch }: State): number {
  const edited = epoch?.edited ?? -1;
  let calls = 0;
  for (let index = packed.length - 1; index >= 0 && calls < CALLS; index -= 1) {
    const span = itemAt(packed, index);
    if (span === undefined || span.group <= edited) break;
    if (span.role === 'assistant') calls += 1;
  }
  return calls / 2;
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
