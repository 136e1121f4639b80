// Estimates the tokens that a call of an imported session could have read. The estimate uses the provider's counts of
// earlier calls. The imported file records how many tokens were sent, but in most cases it does not contain the request
// itself.

import { defined } from '@tidemark/core';
import type { DiagnosisRecord, EpochCause, Timestamp, Usage } from '@tidemark/log';
import { milliseconds } from '@tidemark/log';
import type { Capabilities } from '@tidemark/model';
import { cachedTokens, inputTokens } from '@tidemark/model';
import type { CountedCause, LossCause } from '../base/cause-words.ts';
import { LIFE } from '../cache/entries.ts';
import { onGrid } from '../cache/implicit.ts';
import { rewriteCost } from '../forecast/miss.ts';
import type { ModelCall, PaidAgain } from './model-call.ts';

/** Cache state that a call leaves for the next call. */
export interface LeftByCall {
  readonly at: Timestamp;
  readonly input: number;
  /** Number of tokens in the cache after the call: the tokens that it read and the tokens that it wrote. */
  readonly cached: number;
  /** Prefixes in the cache with their lifetimes, at most one for each lifetime. */
  readonly lives: readonly CachedPrefix[];
  /** Input of the first counted call of the session: the front and the first prompt. */
  readonly opening: number;
  /**
   * Tokens that the first counted call read from the cache. They are a part of the front, and another session had
   * written them.
   */
  readonly front: number;
}

/** Prefix of a request in the cache. One call can write its front for an hour and the rest for five minutes. */
export interface CachedPrefix {
  /** Number of tokens of the prefix. */
  readonly end: number;
  /** Lifetime in milliseconds. Absent if it is unknown. */
  readonly life: number | undefined;
}

/** Difference between a recorded request and the recorded request before it. It is evidence for the cause of a loss. */
export type ObservedChange = Extract<LossCause, 'front-changed' | 'model' | 'parameter'> | 'none';

/** State between two calls, used to judge the second call. */
export interface Between {
  readonly left: LeftByCall | undefined;
  /** Cause of an epoch that opened between the calls. */
  readonly opened: EpochCause | undefined;
  /** Estimated tokens of the texts that were recorded between the calls. */
  readonly arrived: number;
  /** Provider's own comparison of the two requests. */
  readonly diagnosis?: DiagnosisRecord;
  /** Set if both requests were recorded. */
  readonly observed?: ObservedChange;
}

/** Values that `judgeImport` determines. */
export type Judgement = Pick<ModelCall, 'held' | 'again' | 'unsent'>;

/**
 * Tolerance in tokens. If a call leaves at most this number of cached tokens unread, it is not a miss, because a
 * provider's counts differ slightly between calls.
 */
const TOLERANCE = 16;

/**
 * Returns the cache state that a call leaves for the next call. Returns `before` if the counts of the call are
 * incomplete.
 */
export function leftBy({ usage, at, row }: ModelCall, before: LeftByCall | undefined): LeftByCall | undefined {
  const input = inputTokens(usage);
  const cached = cachedAfter(usage, row, input);
  if (input === undefined || cached === undefined) return before;
  const { read = 0 } = usage;
  const { opening = input, front = read } = before ?? {};
  return { at, input, cached, lives: livesAfter(usage, row, cached, before), opening, front };
}

/**
 * Returns the tokens that are in the cache after a call. A provider with free writes does not report its writes. If its
 * cache needs no markers, the cache is assumed to contain the request up to its last grid point.
 */
function cachedAfter(usage: Usage, row: Capabilities | undefined, input: number | undefined): number | undefined {
  const counted = cachedTokens(usage);
  if (row?.markers !== 'implicit' || input === undefined) return counted;
  if (row.implicit?.at === 'grid') return onGrid(input, row.implicit);
  return row.implicit?.at === 'endings' ? (counted ?? input) : input;
}

/**
 * Returns the prefixes in the cache after a call. The entries that it read begin a new life of the same length. A
 * provider writes longer lifetimes first. Tokens with an unknown lifetime get the longest earlier one, or else the first
 * one of the catalog row.
 */
function livesAfter(
  { read = 0, writes = [] }: Usage,
  row: Capabilities | undefined,
  cached: number,
  before: LeftByCall | undefined,
): readonly CachedPrefix[] {
  const usual = longest(before?.lives ?? []) ?? rowLife(row);
  const ends = new Map((before?.lives ?? []).map(({ end, life }) => [life, Math.min(end, read)]));
  let end = read;
  for (const { ttl, tokens } of writes.toSorted((a, b) => LIFE[b.ttl] - LIFE[a.ttl])) {
    end += tokens;
    if (tokens > 0) ends.set(LIFE[ttl], end);
  }
  if (Math.max(0, ...ends.values()) < cached - TOLERANCE) ends.set(usual, cached);
  return [...ends].flatMap(([life, to]) => (to === 0 ? [] : [{ end: to, life }]));
}

function longest(lives: readonly CachedPrefix[]): number | undefined {
  const known = lives.flatMap(({ life }) => (life === undefined ? [] : [life]));
  return known.length === 0 ? undefined : Math.max(...known);
}

const MINUTE = 60_000;

function rowLife(row: Capabilities | undefined): number | undefined {
  if (row?.implicit !== undefined) return row.implicit.idle * MINUTE;
  const [first] = row?.ttls ?? [];
  return first === undefined ? undefined : LIFE[first];
}

/**
 * Estimates three numbers of tokens: the tokens that the call could have read (`held`), the new tokens (`unsent`), and
 * the tokens that were paid again (`again`). If the input grew, the added tokens are new. If the input shrank, the
 * texts recorded between the calls are new, and their size is an estimate. After a compaction, only the front counts as
 * sent before.
 */
export function judgeImport(call: ModelCall, between: Between): Judgement {
  const input = inputTokens(call.usage);
  const { read } = call.usage;
  const { left } = between;
  if (input === undefined || read === undefined) return {};
  if (left === undefined) return { held: read, unsent: input };
  const old = sentBefore(input, left, between);
  const held = Math.max(read, Math.min(left.cached, old));
  const unsent = Math.min(input - read, input - Math.min(input, old));
  if (held - read > toleranceOf(call)) return { held, unsent, again: lost(call, { ...between, left }, held - read) };
  return left.cached === 0 && read === 0 ? { held, unsent, ...neverCached(call, left, old) } : { held, unsent };
}

/** Returns the number of tokens of a request that an earlier request also contained. */
function sentBefore(input: number, left: LeftByCall, { opened, arrived }: Between): number {
  if (opened === 'compaction') return Math.min(input, left.front);
  return input >= left.input ? left.input : Math.max(0, input - arrived);
}

/**
 * Returns the tolerance of a call, in tokens. With entries on a grid, a count can be one grid step too high or too low.
 * If a provider does not publish where its entries end, the floor is the only published size.
 */
function toleranceOf({ row }: ModelCall): number {
  if (row?.markers !== 'implicit') return TOLERANCE;
  return row.implicit?.at === 'grid'
    ? row.implicit.step
    : row.implicit === undefined
      ? (row.floor ?? 4_096)
      : TOLERANCE;
}

type BetweenCalls = Between & { readonly left: LeftByCall };

function lost(call: ModelCall, between: BetweenCalls, tokens: number): PaidAgain {
  const { read = 0 } = call.usage;
  const [counted, ...others] = countedCauses(call, between);
  const cause = diagnosedCause(between.diagnosis, read, between.left) ?? counted;
  const also = others.filter((one) => one !== cause);
  return defined({
    cause,
    ...(also.length === 0 ? {} : { also }),
    ...(cause === counted ? {} : { counted }),
    tokens,
    from: read,
    cost: costOfLoss(call, tokens),
  });
}

/**
 * Returns the causes that the log and the provider's counts show. A recorded change of the settings comes first, before
 * the cause that the number of read tokens shows.
 */
function countedCauses(
  call: ModelCall,
  { left, opened, observed }: BetweenCalls,
): readonly [LossCause, ...LossCause[]] {
  const change = opened === undefined ? [] : [opened];
  if (hasExpired(call, left)) return ['expired', ...change];
  return opened === undefined ? [countedCause(call.usage.read ?? 0, left, observed)] : [opened];
}

/** Returns true if entries had expired, and the call read all that had not. */
function hasExpired({ at, usage: { read = 0 } }: ModelCall, left: LeftByCall): boolean {
  const age = milliseconds(at) - milliseconds(left.at);
  const alive = left.lives.filter(({ life }) => life === undefined || age < life);
  const end = Math.max(0, ...alive.map((one) => one.end));
  return alive.length < left.lives.length && end < left.cached && read >= end - TOLERANCE;
}

function countedCause(read: number, left: LeftByCall, observed: ObservedChange | undefined): LossCause {
  if (observed !== undefined && observed !== 'none') return observed;
  return read === 0 && observed === 'none' ? 'evicted' : causeByCounts(read, left.opening);
}

/**
 * Returns the cause of a loss that the number of read tokens shows, if the entries had not expired. `opening` is the
 * input of the first call: the front and the first prompt.
 */
export function causeByCounts(read: number, opening: number): Exclude<CountedCause, 'front-changed' | 'not-cached'> {
  if (read > opening) return 'edited';
  return read > 0 ? 'history-changed' : 'front-changed-or-evicted';
}

/** Maps the reasons that Anthropic reports to causes. Any other reason maps to no cause. */
const DIAGNOSED: ReadonlyMap<string | undefined, LossCause> = new Map<string, LossCause>([
  ['system_changed', 'front-changed'],
  ['tools_changed', 'front-changed'],
  ['model_changed', 'model'],
]);

function diagnosedCause(diagnosis: DiagnosisRecord | undefined, read: number, left: LeftByCall): LossCause | undefined {
  if (diagnosis?.found !== 'miss') return undefined;
  if (diagnosis.reason !== 'messages_changed') return DIAGNOSED.get(diagnosis.reason);
  return read > left.opening ? 'edited' : 'history-changed';
}

/**
 * Returns the loss of a request for which nothing was cached. Either the previous request was shorter than the floor,
 * or it was long enough but the program did not ask for a cache.
 */
function neverCached(call: ModelCall, left: LeftByCall, old: number): Pick<ModelCall, 'again'> {
  const { row } = call;
  if (row?.floor === undefined || row.markers !== 'explicit' || old === 0) return {};
  const cause: CountedCause | 'below-floor' = left.input < row.floor ? 'below-floor' : 'not-cached';
  return { again: defined({ cause, tokens: old, from: 0, cost: costOfLoss(call, old) }) };
}

function costOfLoss({ row, at, usage }: ModelCall, tokens: number): PaidAgain['cost'] {
  const input = inputTokens(usage);
  if (row === undefined || input === undefined) return undefined;
  const written = usage.writes?.find((write) => write.tokens > 0)?.ttl;
  const ttl = written ?? (usage.writes === undefined && row.markers === 'explicit' ? row.ttls[0] : undefined);
  return rewriteCost({ capabilities: row, at, input, tokens, ttl });
}
