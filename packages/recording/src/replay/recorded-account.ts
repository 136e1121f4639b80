// Account of the recording itself: its bill, and calls that read fewer tokens than the cache contained.

import type { Usage } from '@tidemark/log';
import type { CountedCause } from '@tidemark/context';
import { causeByCounts, LIFE, ratesOf, unitPrice } from '@tidemark/context';
import { multiplier } from '@tidemark/model';
import { Decimal } from 'decimal.js';
import type { DrivenCall } from './driving.ts';

/** Reason why a recorded call read fewer tokens than the cache contained, as far as the recording shows the reason. */
export type RecordedCause = 'expired' | 'reasoning' | 'model' | 'compaction' | 'thinking-stripped' | CountedCause;

/** Recorded call that read fewer tokens from the cache than it could have read. `tokens` is the difference. */
export interface RecordedMiss {
  readonly session: string;
  readonly step: number;
  readonly cause: RecordedCause;
  readonly tokens: number;
  readonly cost: number;
}

/** Bill, ideal cost and misses of the recording itself, in units of the base input price. */
export interface RecordedAccount {
  readonly billed: Decimal;
  readonly ideal: Decimal;
  readonly misses: readonly RecordedMiss[];
}

/** Recorded account without any calls. */
export const NO_RECORDED_ACCOUNT: RecordedAccount = { billed: new Decimal(0), ideal: new Decimal(0), misses: [] };

/** State of the cache after a call, for comparison with the next call on the same stream. */
export interface LeftByRecorded {
  readonly call: DrivenCall;
  /** Number of tokens that the call read or wrote. The cache contained these tokens after the call. */
  readonly cached: number;
  readonly ttl: keyof typeof LIFE;
  /** Input of the first call of the stream: the front and the first prompt. */
  readonly opening: number;
}

/**
 * Maximum difference in tokens that does not count as a miss, because a provider's counts differ by a few tokens
 * between calls.
 */
const TOLERANCE = 16;

/** Returns the state of the cache after a call. `before` is the state before it. */
export function leftBy(call: DrivenCall, before: LeftByRecorded | undefined): LeftByRecorded {
  const { usage, input } = call.recorded;
  const writes = usage.writes ?? [];
  const ttl = writes.some((write) => write.ttl === '1h' && write.tokens > 0) ? '1h' : '5m';
  return { call, cached: (usage.read ?? 0) + sum(writes), ttl, opening: before?.opening ?? input };
}

/**
 * Returns the account with one more call. `left` is the state of the cache after the previous call. A call without
 * input counts or without a price changes nothing.
 */
export function addRecorded(
  account: RecordedAccount,
  session: string,
  call: DrivenCall,
  left: LeftByRecorded | undefined,
): RecordedAccount {
  const { usage, input } = call.recorded;
  if (input === 0) return account;
  const price = unitPrice(call.row.capabilities, call.recorded.startedAt, input);
  if (price === undefined) return account;
  const rate = ratesOf(price);
  const old = Math.max(0, input - Math.min(input, call.prepared.record.data.forecast.unsent));
  const paid = (usage.writes ?? []).map((write) =>
    new Decimal(multiplier(price, write.ttl) ?? rate.write).times(write.tokens),
  );
  const missed = missOf(call, usage, left, Math.min(old, left?.cached ?? 0));
  const cost = rate.write
    .minus(rate.read)
    .times(missed?.tokens ?? 0)
    .toNumber();
  return {
    billed: account.billed.plus(Decimal.sum(usage.fresh ?? 0, rate.read.times(usage.read ?? 0), ...paid)),
    ideal: account.ideal.plus(rate.write.times(input - old)).plus(rate.read.times(old)),
    misses: missed === undefined ? account.misses : [...account.misses, { session, step: call.step, ...missed, cost }],
  };
}

function missOf(
  call: DrivenCall,
  usage: Usage,
  left: LeftByRecorded | undefined,
  held: number,
): Pick<RecordedMiss, 'cause' | 'tokens'> | undefined {
  // If the recording does not contain the number of read tokens, this number is unknown, not 0. So no miss is counted.
  const tokens = usage.read === undefined ? 0 : held - usage.read;
  return left === undefined || tokens <= TOLERANCE ? undefined : { cause: causeOf(call, left), tokens };
}

/**
 * Returns the cause of a miss. If a setting changed, the change is the cause. Otherwise an entry whose lifetime was
 * over is `expired`, and a loss of stripped thinking is `thinking-stripped`. In all other cases the number of read
 * tokens shows the cause.
 */
function causeOf(call: DrivenCall, left: LeftByRecorded): RecordedCause {
  const opened = call.prepared.opened?.data.cause;
  if (opened === 'model' || opened === 'compaction' || opened === 'reasoning') return opened;
  const gap = Date.parse(call.recorded.startedAt) - Date.parse(left.call.recorded.startedAt);
  if (gap >= LIFE[left.ttl]) return 'expired';
  if (call.prepared.outlook.loss?.cause === 'thinking-stripped') return 'thinking-stripped';
  return causeByCounts(call.recorded.usage.read ?? 0, left.opening);
}

function sum(writes: readonly { readonly tokens: number }[]): number {
  return writes.reduce((total, write) => total + write.tokens, 0);
}
