// Numbers (L7): buckets, costs and forecasts, compared with the account of the server, which does not use the engine.

import type { Usage } from '@tidemark/log';
import type { Capabilities } from '@tidemark/model';
import { costOf, priceAt } from '@tidemark/model';
import type { SimulatedUsage } from '@tidemark/simulator';
import { totalInput } from '@tidemark/simulator';
import { expect } from 'vitest';
import { sharedBlocks, shownBlocks, sum, wasTaken } from './growth.ts';
import type { SentCall } from './loop.ts';
import type { LoopPlayed, Played } from './play.ts';
import { isAnswered } from './server.ts';

/** Expects that the buckets of each bill add up to the number of tokens that were sent. */
export function expectBucketsSumUp({ requests }: Played): void {
  for (const request of requests)
    if (request.billed !== undefined) expect(totalInput(request.billed)).toBe(sum(shownBlocks(request)));
}

/** Expects the record of each answer to contain the buckets as they were billed. */
export function expectBucketsRecorded({ book, requests }: Played): void {
  const billed = new Map(requests.map(({ prepared, billed: usage }) => [Number(prepared.record.position), usage]));
  for (const record of book.records) {
    if (record.kind !== 'answer.received' || record.data.request === undefined) continue;
    const usage = billed.get(record.data.request);
    if (usage === undefined) throw new Error(`answer ${record.position} has no bill`);
    const { fresh, read, writes } = record.data.usage;
    expect({ position: record.position, fresh, read, writes }).toEqual({
      position: record.position,
      ...bucketsOf(usage),
    });
  }
}

/** Expects that the cost of each answer is exactly the sum of the costs of its buckets. */
export function expectExactCosts({ book, requests }: Played): void {
  const prepared = new Map(requests.map((request) => [Number(request.prepared.record.position), request.prepared]));
  for (const answer of book.records) {
    if (answer.kind !== 'answer.received' || answer.data.request === undefined) continue;
    const request = prepared.get(answer.data.request);
    if (request === undefined) throw new Error(`answer ${answer.position} has no request`);
    const cost = exactCost(request.capabilities, request.record.at.slice(0, 10), answer.data.usage);
    expect({ position: answer.position, cost: normal(answer.data.cost ?? '') }).toEqual({
      position: answer.position,
      cost,
    });
  }
}

/** Expects each forecast to equal the bill, bucket by bucket and in money. */
export function expectForecastsBilled({ loop: { calls } }: LoopPlayed): void {
  for (const { prepared, billed } of calls) {
    if (billed === undefined) continue;
    const { position, at, data } = prepared.record;
    const { read, write, fresh, cost = '' } = data.forecast;
    expect({ position, read, write, fresh, cost: normal(cost) }).toEqual({
      position,
      read: billed.cache_read_input_tokens,
      write: billed.cache_creation_input_tokens,
      fresh: billed.input_tokens,
      cost: exactCost(prepared.capabilities, at.slice(0, 10), { ...bucketsOf(billed), answer: 0 }),
    });
  }
}

/** Expects no usage, cost or miss in the records of a provider that reports no usage. */
export function expectUnknownStaysAbsent({ book }: Played): void {
  for (const record of book.records) {
    if (record.kind !== 'answer.received') continue;
    expect(record.data.usage).toEqual({});
    expect('cost' in record.data || 'miss' in record.data).toBe(false);
    // Estimated costs are in other fields. Prices are recorded only together with an estimate.
    expect('costAtMost' in record.data).toBe(false);
    expect('prices' in record.data && !('estimated' in record.data)).toBe(false);
  }
}

function bucketsOf(billed: SimulatedUsage): Usage {
  const { ephemeral_5m_input_tokens: short, ephemeral_1h_input_tokens: long } = billed.cache_creation;
  const writes = [
    { ttl: '5m' as const, tokens: short },
    { ttl: '1h' as const, tokens: long },
  ].filter(({ tokens }) => tokens > 0);
  return { fresh: billed.input_tokens, read: billed.cache_read_input_tokens, writes };
}

const DIGITS = 18;

/** Returns a cost in dollars, computed in whole numbers of 10^-18 dollars and without floating point. */
function exactCost(capabilities: Capabilities, day: string, usage: Usage): string {
  const input =
    (usage.fresh ?? 0) + (usage.read ?? 0) + (usage.writes ?? []).reduce((all, { tokens }) => all + tokens, 0);
  const price = priceAt(capabilities, day, input);
  if (price === undefined) throw new Error(`no price of ${capabilities.model} on ${day}`);
  const parts: readonly (readonly [tokens: number, perMillion: string | undefined])[] = [
    [usage.fresh ?? 0, price.input],
    [usage.read ?? 0, price.read],
    ...(usage.writes ?? []).map(({ ttl, tokens }) => [tokens, price.writes[ttl]] as const),
    [(usage.answer ?? 0) + (usage.reasoning ?? 0), price.output],
  ];
  const total = parts.reduce(
    (all, [tokens, perMillion]) => all + BigInt(tokens) * scaled(perMillion ?? '0', DIGITS - 6),
    0n,
  );
  const text = total.toString().padStart(DIGITS + 1, '0');
  return normal(`${text.slice(0, -DIGITS)}.${text.slice(-DIGITS)}`);
}

function scaled(decimal: string, digits: number): bigint {
  const [whole = '0', part = ''] = decimal.split('.');
  return BigInt(whole + part.padEnd(digits, '0'));
}

function normal(decimal: string): string {
  return decimal.includes('.') ? decimal.replace(/\.?0+$/, '') : decimal;
}

/** Input tokens of a call by bucket, and their cost. The values are those of a forecast or of a bill. */
interface Forecast {
  readonly position: number;
  readonly model: string;
  readonly read: number;
  readonly write: number;
  readonly fresh: number;
  readonly cost: string | undefined;
}

/**
 * Expects each forecast to equal the bill of a provider that caches without markers. On a grid, a read may be longer
 * than its forecast (`expectLongerRead`). Returns the number of tokens that all calls together were forecast to read.
 */
export function expectImplicitForecastsBilled({ loop: { calls } }: LoopPlayed): number {
  let read = 0;
  for (const [index, call] of calls.entries()) {
    if (!isAnswered(call.served)) continue;
    const forecast = forecastOf(call);
    const billed = billedOf(call);
    const difference = isOnGrid(call) ? firstDifference(call, calls.slice(0, index)) : undefined;
    if (difference !== undefined && billed.read > forecast.read) expectLongerRead(forecast, billed, difference);
    else expect(forecast).toEqual(billed);
    read += forecast.read;
  }
  return read;
}

function isOnGrid({ prepared: { capabilities } }: SentCall): boolean {
  return capabilities.implicit?.at === 'grid';
}

/** Begin and end of a block, in tokens from the beginning of the request. */
interface Extent {
  readonly from: number;
  readonly to: number;
}

/**
 * Compares a request with the earlier request that has most blocks in common with it. Returns the first block that
 * differs. Returns `undefined` if the request contains all blocks of the earlier one, because it then only extends it.
 */
function firstDifference(call: SentCall, earlier: readonly SentCall[]): Extent | undefined {
  const shared = earlier.filter(wasTaken).map((one) => ({ one, blocks: sharedBlocks(call, one) }));
  const most = Math.max(0, ...shared.map(({ blocks }) => blocks));
  const inside = shared.some(({ one, blocks }) => blocks === most && blocks < one.prepared.sequence.blocks.length);
  if (!inside) return undefined;
  const blocks = shownBlocks(call);
  return { from: sum(blocks.slice(0, most)), to: sum(blocks.slice(0, most + 1)) };
}

/**
 * Checks a read that is longer than its forecast. Some providers cache at regular distances in tokens (a grid). Reads
 * are forecast only up to the end of the tools, of the system texts or of an earlier request. A request that differs
 * inside its history, for example after an epoch, may read more: up to the last grid point before the difference. The
 * forecast must end before the first block that differs, and the read must not go past the end of this block. See the
 * decision on implicit caches.
 */
function expectLongerRead(forecast: Forecast, billed: Forecast, { from, to }: Extent): void {
  expect(forecast.read).toBeLessThanOrEqual(from);
  expect(billed.read).toBeLessThanOrEqual(to);
  const whole = ({ fresh, read, ...rest }: Forecast): object => ({ ...rest, input: fresh + read, cost: undefined });
  expect(whole(forecast)).toEqual(whole(billed));
}

function forecastOf({ prepared: { record, epoch } }: SentCall): Forecast {
  const { read, write, fresh, cost } = record.data.forecast;
  return { position: record.position, model: epoch.model, read, write, fresh, cost };
}

function billedOf({ prepared: { record, epoch, capabilities }, served }: SentCall): Forecast {
  const counts = isAnswered(served) ? served.counts : undefined;
  if (counts === undefined) throw new Error('the call was not accounted');
  const { input, read, writtenShort: write, writtenLong } = counts;
  expect(writtenLong).toBe(0);
  const fresh = input - read - write;
  const price = priceAt(capabilities, record.at.slice(0, 10), input);
  const usage = { fresh, read, writes: [{ ttl: '30m' as const, tokens: write }], answer: 0 };
  const cost = price === undefined ? undefined : costOf(price, usage)?.total;
  return { position: record.position, model: epoch.model, read, write, fresh, cost };
}
