// Times between the calls of a stream. For each length of pause, a sum counts the prefix tokens that were in the cache
// when the pause began. Another sum counts the tokens that were lost for a reason other than expiry. The size of this
// record is bounded: it has one number per bin, and each new pause reduces the weight of all earlier pauses.

import type { SessionId, Timestamp } from '@tidemark/log';
import { milliseconds } from '@tidemark/log';

/**
 * Upper ends of the bins in milliseconds, on a logarithmic scale. Each cache lifetime that a provider offers is one of
 * the ends.
 */
const BINS: readonly number[] = [5, 10, 20, 30, 60, 120, 240, 720].map((minutes) => minutes * 60_000);

/**
 * Share of the older sums that remains after each new pause. With this value, about the last ten pauses have an effect.
 * Fitted together with the margin in `cache/plan.ts`.
 */
const FADE = 0.9;

/** Pauses of a stream, measured in the tokens that were cached when each pause began. */
export interface Pauses {
  /**
   * Tokens by length of the pause. The last bin contains all pauses that are longer than the last end in `BINS`. The
   * first bin is always empty, because a pause of less than five minutes costs nothing.
   */
  readonly bins: readonly number[];
  /** Tokens that no lifetime of a cache entry could keep. */
  readonly broken: number;
}

export const NO_PAUSES: Pauses = { bins: [...BINS, Infinity].map(() => 0), broken: 0 };

/** Pause before a request. */
export interface CallPause {
  /** Length of the pause in milliseconds. */
  readonly ms: number;
  /** Tokens in the cache when the pause began. */
  readonly held: number;
  /**
   * Part of `held` that no lifetime can keep readable: dropped, packed differently, stripped, or written under other
   * parameters.
   */
  readonly broken: number;
  /**
   * Share of the older sums that remains after this pause. Default: `FADE`. Benchmarks pass other values to find the
   * best one.
   */
  readonly fade?: number;
}

/**
 * Returns the sums with one more pause. Returns the same object if no tokens were in the cache. Also returns it if the
 * pause was shorter than five minutes and no tokens are `broken`.
 */
export function addPause(pauses: Pauses, { ms, held, broken, fade = FADE }: CallPause): Pauses {
  const bin = binOf(ms);
  const gone = Math.max(0, broken);
  const stood = bin === 0 ? 0 : Math.max(0, held - gone);
  if (stood + gone === 0) return pauses;
  return {
    bins: pauses.bins.map((sum, index) => sum * fade + (index === bin ? stood : 0)),
    broken: pauses.broken * fade + gone,
  };
}

function binOf(ms: number): number {
  // An entry expires exactly at its end, so a pause as long as a bin's end belongs to the next bin.
  const bin = BINS.findIndex((end) => ms < end);
  return bin === -1 ? BINS.length : bin;
}

/**
 * Compares two lifetimes in milliseconds and returns two sums of tokens. `kept`: the tokens that only the lifetime
 * `long` keeps. `lost`: the tokens that neither `long` nor `short` keeps. Both lifetimes must be ends of bins.
 */
export function stakes(
  { bins, broken }: Pauses,
  short: number,
  long: number,
): { readonly kept: number; readonly lost: number } {
  let keptTokens = 0;
  let lost = broken;
  for (const [index, tokens] of bins.entries()) {
    const end = BINS[index] ?? Infinity;
    if (end > long) lost += tokens;
    else if (end > short) keptTokens += tokens;
  }
  return { kept: keptTokens, lost };
}

/**
 * Returns the tokens whose pause was longer than `from` and at most as long as `to`, in milliseconds. Inside a bin, the
 * tokens are spread evenly on a logarithmic scale.
 */
export function endedBetween({ bins }: Pauses, from: number, to: number): number {
  return bins.reduce(
    (sum, tokens, index) => sum + tokens * shareOf(BINS[index - 1] ?? 0, BINS[index] ?? Infinity, from, to),
    0,
  );
}

/**
 * Returns the share of a bin between `from` and `to`. The distribution in the last bin is unknown. All of it therefore
 * counts as later than `to`, unless `to` is infinite.
 */
function shareOf(begin: number, end: number, from: number, to: number): number {
  if (end === Infinity) return to === Infinity ? 1 : 0;
  const [low, high] = [Math.max(begin, from), Math.min(end, to)];
  if (high <= low) return 0;
  return begin === 0 ? (high - low) / end : Math.log(high / low) / Math.log(end / begin);
}

// Rate of a session's calls. If a provider routes by key, one machine accepts about 15 calls a minute for one key.
// Calls above this rate go to another machine, which has its own cache. A family shares one key. If a child session
// sends many calls, it changes to its own key early, while its prefix is still short and cheap to write again.

/**
 * Maximum calls per minute of a child under the family's key: half of the provider's limit, because other sessions
 * share the key.
 */
const MAX_CHILD_CALLS = 8;

/** Approximate number of calls per minute that one machine accepts for one key (provider facts 2.1). */
const MACHINE = 15;

const MINUTE = 60_000;

/** Rate of a session's calls, and the cache key that it uses because of this rate. */
export interface Pace {
  /** Times of the latest calls of this session, at most one more than a machine accepts per minute. */
  readonly recent: readonly Timestamp[];
  /**
   * Session whose own key is used: this session, or the session that it was forked from. `undefined` means that the
   * family's key is used.
   */
  readonly own: SessionId | undefined;
}

export const NO_PACE: Pace = { recent: [], own: undefined };

/**
 * Returns the pace with one more call. If a child sends more than 8 calls within a minute, it changes to its own key.
 * The change is permanent, because each change of the key costs a full read of the prefix. The root always keeps the
 * family's key, because a change would only move its load to another key.
 */
export function addCall({ recent, own }: Pace, at: Timestamp, session: SessionId | undefined, isRoot: boolean): Pace {
  const fast = within(recent, MAX_CHILD_CALLS, at);
  return { recent: [...recent, at].slice(-1 - MACHINE), own: fast && !isRoot ? session : own };
}

/** Checks that this session alone sent more calls than one machine accepts. The call sent at `at` is included. */
export function isCrowded({ recent }: Pace, at: Timestamp): boolean {
  const before = recent.filter((one) => milliseconds(one) < milliseconds(at));
  return within(before, MACHINE, at);
}

/** Checks that the last `calls` calls were all sent in the minute before `at`. */
function within(recent: readonly Timestamp[], calls: number, at: Timestamp): boolean {
  const first = recent.at(-calls);
  return recent.length >= calls && first !== undefined && milliseconds(at) - milliseconds(first) < MINUTE;
}
