// The times between calls. What a stream has shown of its pauses: how many tokens of its prefix each outlasting pause put at stake, and how many were
// lost in another way. Bounded: a number per bin, and older evidence fades.

import type { SessionId, Timestamp } from '@tidemark/log';
import { milliseconds } from '@tidemark/log';

/** Upper ends of the bins in milliseconds, log-spaced: each lifetime that a provider sells is one of them. */
const BINS: readonly number[] = [5, 10, 20, 30, 60, 120, 240, 720].map((minutes) => minutes * 60_000);

/** Share of older evidence that each new piece leaves: the last ten or so count. Fitted with the margin in `cache/plan.ts`. */
const FADE = 0.9;

/** The evidence of a stream, in tokens that were cached when it came. */
export interface Pauses {
  /** By length of the pause; the last bin is all beyond the last end. The first is empty: such a pause costs nothing. */
  readonly bins: readonly number[];
  /** No life would have kept these. */
  readonly broken: number;
}

/** A stream that has shown nothing yet. */
export const NO_PAUSES: Pauses = { bins: [...BINS, Infinity].map(() => 0), broken: 0 };

/** What a request shows of the time before it. */
export interface CallPause {
  /** Milliseconds since the accepted request before it. */
  readonly ms: number;
  /** Tokens that the cache held after that one. */
  readonly held: number;
  /** Of these, what is not read again whatever its life: dropped, packed anew, stripped, made under other parameters. */
  readonly broken: number;
  /** Share of older evidence that this piece leaves. The default is the shipped value; benchmarks pass others to fit it. */
  readonly fade?: number;
}

/**
 * Returns the evidence with one more request. It is the same object where all that was held could be read after less than five
 * minutes.
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
  // At its end an entry is gone: a pause as long as a bin's end falls behind it.
  const bin = BINS.findIndex((end) => ms < end);
  return bin === -1 ? BINS.length : bin;
}

/**
 * Tokens that a life of `long` milliseconds would have kept and one of `short` did not, and those that neither would have.
 * Both are ends of bins.
 */
export function stakes(
  { bins, broken }: Pauses,
  short: number,
  long: number,
): { readonly kept: number; readonly lost: number } {
  let kept = 0;
  let lost = broken;
  for (const [index, tokens] of bins.entries()) {
    const end = BINS[index] ?? Infinity;
    if (end > long) lost += tokens;
    else if (end > short) kept += tokens;
  }
  return { kept, lost };
}

/** Tokens of the evidence whose pause ended after `from` and not after `to`, in milliseconds; inside a bin spread by the logarithm. */
export function endedBetween({ bins }: Pauses, from: number, to: number): number {
  return bins.reduce(
    (sum, tokens, index) => sum + tokens * shareOf(BINS[index - 1] ?? 0, BINS[index] ?? Infinity, from, to),
    0,
  );
}

/** How much of a bin lies between the two. Of the last one nobody knows where: all of it beyond its beginning. */
function shareOf(begin: number, end: number, from: number, to: number): number {
  if (end === Infinity) return to === Infinity ? 1 : 0;
  const [low, high] = [Math.max(begin, from), Math.min(end, to)];
  if (high <= low) return 0;
  return begin === 0 ? (high - low) / end : Math.log(high / low) / Math.log(end / begin);
}

// How fast a session calls. A provider that routes by key sends calls above about 15 a minute of one key to another machine
// with a cache of its own. A family shares a key, so a fast child leaves the key early, while it has little to read again.

/** Calls of a minute that a child may make under the family's key: half of what a provider takes, as there are others. */
const MOST = 8;

/** Calls of a minute that one machine takes of one key, about (provider facts 2.1). */
const MACHINE = 15;

const MINUTE = 60_000;

/** What is known of it. */
export interface Pace {
  /** When the latest calls of this session were sent, at most as many as one machine takes. */
  readonly recent: readonly Timestamp[];
  /** The session whose own key is in force: this one, or the one that it was forked from. */
  readonly own: SessionId | undefined;
}

/** Nothing sent yet. */
export const NO_PACE: Pace = { recent: [], own: undefined };

/**
 * The pace with one more call. A child that makes more than 8 within a minute leaves the family's key, for good: a key that
 * changes costs one reading of everything. The root keeps it, however fast it is, as leaving would change nothing for it.
 */
export function addCall({ recent, own }: Pace, at: Timestamp, session: SessionId | undefined, isRoot: boolean): Pace {
  const fast = within(recent, MOST, at);
  return { recent: [...recent, at].slice(-1 - MACHINE), own: fast && !isRoot ? session : own };
}

/** Whether this session alone, with the call that was sent then, called more often than one machine takes. */
export function isCrowded({ recent }: Pace, at: Timestamp): boolean {
  const before = recent.filter((one) => milliseconds(one) < milliseconds(at));
  return within(before, MACHINE, at);
}

/** Whether the last so many calls lie within the minute before. */
function within(recent: readonly Timestamp[], calls: number, at: Timestamp): boolean {
  const first = recent.at(-calls);
  return recent.length >= calls && first !== undefined && milliseconds(at) - milliseconds(first) < MINUTE;
}
