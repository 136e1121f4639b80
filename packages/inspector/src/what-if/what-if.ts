// Costs of the calls of a session in other cases: with other lifetimes of the cache, without prunings, without
// compactions, and with other models. The calls are replayed with one rule for the cache, so the cases can be compared.

import type { Ttl } from '@tidemark/core';
import type { Usage } from '@tidemark/log';
import type { Capabilities } from '@tidemark/model';
import { costOf, defaultCatalog, inputTokens, outputTokens, priceAt, sumOfMoney } from '@tidemark/model';
import type { KnownRequest, SessionRequests } from '../session-requests.ts';
import type { RequestSize, RequestSizes } from './request-sizes.ts';
import { createSizeReader } from './request-sizes.ts';

/** Costs of the calls of the main stream in other cases. Amounts are exact decimals in US dollars. */
export interface WhatIf {
  /** Number of calls that are replayed. */
  readonly calls: number;
  /** Number of calls of the main stream with unknown tokens or prices. They are in no sum. */
  readonly unknown: number;
  /** Number of calls of side streams. They are in no sum. */
  readonly others: number;
  readonly paid: string;
  /** Cost of the replay with the lifetimes, prunings and compactions of the session. */
  readonly replayed: string;
  readonly prunings: number;
  readonly compactions: number;
  readonly cases: readonly WhatIfCase[];
}

/** Cost in one case. */
export interface WhatIfCase {
  readonly change: 'lifetime' | 'pruning' | 'compaction' | 'model';
  /** The lifetime, or the name of the model. Empty for other changes. */
  readonly name: string;
  /** Number of calls in `cost`. */
  readonly calls: number;
  readonly cost: string;
  /** Cost of the same calls: as paid for another model, otherwise as replayed. */
  readonly compared: string;
  /** Step of the first request that would pass the input limit of the model. The calls from there on are in no sum. */
  readonly stopsAt?: number;
}

/** Returns the costs in other cases. */
export async function readWhatIf(session: SessionRequests): Promise<WhatIf> {
  const main = session.requests.filter(({ stream, answer }) => stream === 'main' && answer !== undefined);
  const calls = await replayedCalls(session, main);
  const count = (kind: string): number => session.names.filter((name) => name.kind === kind).length;
  const [prunings, compactions] = [count('history.pruned'), count('history.compacted')];
  const as = (size: SizeCase, ttl?: Ttl): ReplayCase => ({ size, ttl });
  const base = replay(calls, as('actual')).costs;
  const compare = (change: WhatIfCase['change'], name: string, one: ReplayCase): WhatIfCase =>
    caseOf({ change, name }, replay(calls, one), base);
  return {
    calls: calls.length,
    unknown: main.length - calls.length,
    others: session.requests.filter(({ stream, answer }) => stream !== 'main' && answer !== undefined).length,
    paid: sumOfMoney(calls.map(({ paid }) => paid)),
    replayed: sumOfMoney(base),
    prunings,
    compactions,
    cases: [
      ...lifetimesOf(calls).map((ttl) => compare('lifetime', ttl, as('actual', ttl))),
      ...(prunings > 0 ? [compare('pruning', '', as('unpruned'))] : []),
      ...(compactions > 0 ? [compare('compaction', '', as('uncompacted'))] : []),
      ...otherModels(calls),
    ],
  };
}

/** A call with everything that a replay needs. */
interface ReplayedCall {
  readonly step: number;
  /** Earlier request that it can read, in the order of all requests. `undefined` for the first one. */
  readonly earlier: EarlierCall | undefined;
  readonly day: string;
  readonly row: Capabilities;
  readonly usage: Usage & Required<Pick<Usage, 'fresh'>>;
  readonly paid: string;
  /** Lifetime of the entry that the call wrote or read. */
  readonly ttl: Ttl;
  readonly sizes: RequestSizes;
}

interface EarlierCall {
  /** Milliseconds from the earlier request to this one. */
  readonly pause: number;
  /** Lifetime of its entries. */
  readonly ttl: Ttl;
}

async function replayedCalls(
  session: SessionRequests,
  requests: readonly KnownRequest[],
): Promise<readonly ReplayedCall[]> {
  const sizeOf = createSizeReader(
    ({ origin }) => origin.from === 'event' && session.names[origin.position]?.kind === 'history.compacted',
  );
  const calls: ReplayedCall[] = [];
  const sent: { readonly at: number; readonly ttl: Ttl }[] = [];
  for (const request of requests) {
    const { sequence, capabilities: row } = await session.sequence(request);
    const { usage = {}, cost } = request.answer ?? {};
    const counted = inputTokens(usage);
    // The sizes of all requests are read, because a request shares its beginning with an earlier one.
    const sizes = sizeOf({ sequence, counted: counted ?? 0, withoutFront: request.source === 'imported' });
    const [at, ttl] = [Date.parse(request.at), largestWrite(usage) ?? sent.at(-1)?.ttl ?? row?.ttls[0] ?? '5m'];
    const before = sizes.earlier === undefined ? undefined : sent[sizes.earlier];
    sent.push({ at, ttl });
    const day = request.at.slice(0, 10);
    const price = row && counted !== undefined ? priceAt(row, day, counted) : undefined;
    const paid = cost ?? (price && costOf(price, usage)?.total);
    const { fresh } = usage;
    if (row === undefined || paid === undefined || fresh === undefined || outputTokens(usage) === undefined) continue;
    const earlier = before && { pause: at - before.at, ttl: before.ttl };
    calls.push({ step: request.step, earlier, day, row, usage: { ...usage, fresh }, paid, ttl, sizes });
  }
  return calls;
}

function largestWrite({ writes = [] }: Usage): Ttl | undefined {
  return writes.filter(({ tokens }) => tokens > 0).toSorted((a, b) => b.tokens - a.tokens)[0]?.ttl;
}

type SizeCase = 'actual' | 'unpruned' | 'uncompacted';

interface ReplayCase {
  readonly size: SizeCase;
  /** Lifetime of all entries. Default: as the session wrote them. */
  readonly ttl: Ttl | undefined;
}

interface Replayed {
  /** Cost of each call, up to the first one that is not possible. */
  readonly costs: readonly string[];
  readonly stopsAt?: number;
}

const LIFE_MS: Readonly<Record<Ttl, number>> = {
  '5m': 300_000,
  '30m': 1_800_000,
  '1h': 3_600_000,
  '12h': 43_200_000,
};

/**
 * Replays calls. A request reads what it shares with the earlier one, if that was sent within the lifetime, and writes
 * the rest, except the tokens that were neither read nor written in the session.
 */
function replay(calls: readonly ReplayedCall[], { size, ttl }: ReplayCase): Replayed {
  const costs: string[] = [];
  for (const call of calls) {
    const { earlier, sizes } = call;
    const wanted = sizes[size];
    if (wanted.total > call.row.inputLimit) return { costs, stopsAt: call.step };
    const isHeld = earlier !== undefined && earlier.pause <= LIFE_MS[ttl ?? earlier.ttl];
    const cost = costOfSize(call, isHeld ? wanted : { ...wanted, shared: 0 }, ttl ?? call.ttl);
    if (cost === undefined) return { costs, stopsAt: call.step };
    costs.push(cost);
  }
  return { costs };
}

function costOfSize({ row, day, usage }: ReplayedCall, { total, shared }: RequestSize, ttl: Ttl): string | undefined {
  const price = priceAt(row, day, total);
  if (price === undefined) return undefined;
  const read = price.read === undefined ? 0 : Math.min(shared, total);
  const rest = total - read;
  const isWritten = price.writes[ttl] !== undefined;
  const fresh = isWritten ? Math.min(usage.fresh, rest) : rest;
  const { answer = 0, reasoning = 0 } = usage;
  return costOf(price, { fresh, read, writes: [{ ttl, tokens: rest - fresh }], answer, reasoning })?.total;
}

function caseOf(
  named: Pick<WhatIfCase, 'change' | 'name'>,
  { costs, stopsAt }: Replayed,
  base: readonly string[],
): WhatIfCase {
  return {
    ...named,
    calls: costs.length,
    cost: sumOfMoney(costs),
    compared: sumOfMoney(base.slice(0, costs.length)),
    ...(stopsAt !== undefined && { stopsAt }),
  };
}

/** Returns the lifetimes that all models of the session sell. */
function lifetimesOf(calls: readonly ReplayedCall[]): readonly Ttl[] {
  const sold = ({ row, day }: ReplayedCall, ttl: Ttl): boolean => priceAt(row, day, 0)?.writes[ttl] !== undefined;
  return calls.length === 0
    ? []
    : (['5m', '30m', '1h', '12h'] as const).filter((ttl) => calls.every((call) => sold(call, ttl)));
}

/** Returns the cost of the same tokens with each other model of the provider, the cheapest first. */
function otherModels(calls: readonly ReplayedCall[]): readonly WhatIfCase[] {
  const own = calls.at(-1)?.row;
  if (own === undefined) return [];
  const rows = defaultCatalog().rows.filter(({ provider, model }) => provider === own.provider && model !== own.model);
  return rows
    .flatMap((row): readonly WhatIfCase[] => {
      const replayed = pricedWith(row, calls);
      const paid = calls.map((call) => call.paid);
      return replayed.costs.length === 0 ? [] : [caseOf({ change: 'model', name: row.model }, replayed, paid)];
    })
    .toSorted((a, b) => Number(a.cost) / Number(a.compared) - Number(b.cost) / Number(b.compared));
}

function pricedWith(row: Capabilities, calls: readonly ReplayedCall[]): Replayed {
  const costs: string[] = [];
  for (const { step, day, usage } of calls) {
    const input = inputTokens(usage) ?? 0;
    const price = input > row.inputLimit ? undefined : priceAt(row, day, input);
    const cost = price && costOf(price, usage)?.total;
    if (cost === undefined) return { costs, stopsAt: step };
    costs.push(cost);
  }
  return { costs };
}
