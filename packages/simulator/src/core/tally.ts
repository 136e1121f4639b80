// Totals of the calls of a run: tokens, cost, refusals, and the calls that read nothing from the cache.

import type { Ttl, Usage } from '@tidemark/core';
import { costOf, priceAt, sumOfMoney } from '@tidemark/model';
import { createMissFinder } from './misses.ts';
import type { CallWatcher, LedgerCall, RejectedRequest } from './ledger.ts';
import type { SimulatorSettings } from './options.ts';

/** Call that was refused, with its number in the run. */
export interface RefusedCall {
  readonly call: number;
  readonly endpoint: LedgerCall['endpoint'];
  readonly status: number;
  readonly message: string;
  /** Route that matched the call, if any. */
  readonly route?: string;
  readonly cause?: LedgerCall['cause'];
}

/** Call that read nothing from the cache, with its number in the run. */
export interface MissedCall {
  readonly call: number;
  readonly model: string;
  /** Cause of the miss. Absent if the simulator was created without `explainMisses`. */
  readonly cause?: string;
}

/** Totals of a run. Tokens and cost include only the answered calls. Calls that only count tokens are not included. */
export interface RunTotals {
  /** Number of all calls. Refused calls, and calls that only count tokens, are included. */
  calls: number;
  answered: number;
  /** All input tokens. The three parts `fresh`, `read` and `written` do not overlap. */
  input: number;
  fresh: number;
  read: number;
  written: number;
  output: number;
  /** Exact cost in US dollars of the calls with a known price. */
  cost: string;
  /** Reasons why calls have no known price, without repetition. */
  readonly unpriced: Set<string>;
  readonly refused: RefusedCall[];
  readonly rejected: RejectedRequest[];
  readonly misses: MissedCall[];
}

/** Adds up the totals of a run. */
export interface RunTally {
  readonly add: CallWatcher;
  reject(rejected: RejectedRequest): void;
  readonly totals: Readonly<RunTotals>;
}

/** Maximum number of refusals, and of misses, in a report. The totals have no such limit. */
const MAX_LISTED = 1000;

/** Creates a collector without calls. */
export function createTally(settings: Pick<SimulatorSettings, 'capabilities' | 'explainMisses'>): RunTally {
  const totals: RunTotals = {
    calls: 0,
    answered: 0,
    input: 0,
    fresh: 0,
    read: 0,
    written: 0,
    output: 0,
    cost: '0',
    unpriced: new Set(),
    refused: [],
    rejected: [],
    misses: [],
  };
  const causeOf = settings.explainMisses ? createMissFinder() : undefined;
  return {
    totals,
    add(call, received) {
      totals.calls += 1;
      if (call.refusal !== undefined) return push(totals.refused, refusedCall(call, totals.calls));
      const spent = bucketsOf(call);
      if (spent === undefined) return;
      addSpent(totals, spent);
      const cost = priceOf(settings, call, spent);
      if ('reason' in cost) totals.unpriced.add(cost.reason);
      else totals.cost = sumOfMoney([totals.cost, cost.total]);
      const cause = causeOf?.(call, spent, received.body);
      if (spent.read > 0 || spent.input === 0) return;
      push(totals.misses, { call: totals.calls, model: call.model, ...(cause === undefined ? {} : { cause }) });
    },
    reject: (rejected) => push(totals.rejected, rejected),
  };
}

function push<Item>(list: Item[], item: Item): void {
  if (list.length < MAX_LISTED) list.push(item);
}

function refusedCall({ endpoint, status, refusal, route, cause }: LedgerCall, call: number): RefusedCall {
  return {
    call,
    endpoint,
    status,
    message: refusal?.message ?? '',
    ...(route === undefined ? {} : { route }),
    ...(cause === undefined ? {} : { cause }),
  };
}

/**
 * Tokens of an answered call, in the same form for the APIs of all providers. `fresh`, `read`, `short` and `long` do
 * not overlap, and `input` is their total.
 */
export interface CallBuckets {
  readonly input: number;
  readonly fresh: number;
  readonly read: number;
  readonly short: number;
  readonly long: number;
  readonly output: number;
}

/** Returns the tokens of an answered call. Returns `undefined` if the call was refused or only counts tokens. */
export function bucketsOf({ usage, counts }: LedgerCall): CallBuckets | undefined {
  if (usage !== undefined) {
    const { input_tokens: fresh, cache_read_input_tokens: read, output_tokens: output } = usage;
    const { ephemeral_5m_input_tokens: short, ephemeral_1h_input_tokens: long } = usage.cache_creation;
    return { input: fresh + read + short + long, fresh, read, short, long, output };
  }
  if (counts === undefined) return undefined;
  const { input, read, writtenShort: short, writtenLong: long, output } = counts;
  return { input, fresh: input - read - short - long, read, short, long, output };
}

function addSpent(totals: RunTotals, spent: CallBuckets): void {
  totals.answered += 1;
  totals.input += spent.input;
  totals.fresh += spent.fresh;
  totals.read += spent.read;
  totals.written += spent.short + spent.long;
  totals.output += spent.output;
}

/** The catalog has no price for fast mode or for a region, so their cost is unknown. */
function priceOf(
  { capabilities }: Pick<SimulatorSettings, 'capabilities'>,
  { model, at, usage }: LedgerCall,
  spent: CallBuckets,
): { readonly total: string } | { readonly reason: string } {
  if (usage?.speed === 'fast') return { reason: `fast mode of ${model}` };
  if (usage !== undefined && !['not_available', 'global'].includes(usage.inference_geo))
    return { reason: `${model} in the region ${usage.inference_geo}` };
  const row = capabilities(model) ?? capabilities(model.slice(model.indexOf('/') + 1));
  const day = new Date(at).toISOString().slice(0, 10);
  const price = row === undefined ? undefined : priceAt(row, day, spent.input);
  const cost = price === undefined ? undefined : costOf(price, usageFor(row?.provider, spent, billsWrites(price)));
  return cost ?? { reason: `${model} on ${day}` };
}

function billsWrites({ writes }: { readonly writes: { readonly [ttl in Ttl]?: string } }): boolean {
  return Object.keys(writes).length > 0;
}

/** If a model has no price for writes, its written tokens cost the same as fresh input. */
function usageFor(provider: string | undefined, spent: CallBuckets, hasWrites: boolean): Usage {
  const { fresh, read, short, long, output: answer } = spent;
  if (!hasWrites) return { fresh: fresh + short + long, read, writes: [], answer };
  const [shortLife, longLife]: readonly [Ttl, Ttl] = provider === 'anthropic' ? ['5m', '1h'] : ['30m', '12h'];
  const writes = [
    { ttl: shortLife, tokens: short },
    { ttl: longLife, tokens: long },
  ];
  return { fresh, read, writes: writes.filter(({ tokens }) => tokens > 0), answer };
}
