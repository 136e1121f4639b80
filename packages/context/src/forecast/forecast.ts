// Forecasts the tokens that a call will read and write, and its cost, before the call is sent. Also finds the reason
// why the call will read fewer tokens than were sent before.

import type { CallForecast, MissCause, Timestamp, Usage } from '@tidemark/log';
import { money } from '@tidemark/log';
import type { Capabilities, Marker } from '@tidemark/model';
import { costOf, priceAt } from '@tidemark/model';
import { itemAt } from '../base/append-only.ts';
import type { Lookup } from '../cache/entries.ts';
import { isAlive, isOfOther, unreadable } from '../cache/entries.ts';
import type { ImplicitBuckets, Keeping } from '../cache/implicit.ts';
import { keptAccount, onGrid } from '../cache/implicit.ts';
import type { SizeInput } from '../cache/prefix-size.ts';
import { countedEnd, errorOf, sizeByBlock } from '../cache/prefix-size.ts';
import type { CliffCost } from '../pressure/gauge.ts';
import { cliffCrossed } from '../pressure/gauge.ts';
import { expectedInput, isScaled } from '../state/scales.ts';
import type { CacheEntry } from '../state/state.ts';

export interface ForecastInput extends SizeInput {
  readonly at: Timestamp;
  readonly markers: readonly Marker[];
  /** Cache entries that this request will read and leave. Set only for a provider that caches without markers. */
  readonly keeping?: Keeping | undefined;
  /** Cache entries that this request can read, with the shortest prefix first. */
  readonly readable: readonly CacheEntry[];
  /** Tokens that were never sent on this stream, on the model's scale. */
  readonly unsent: number;
  /** Tokens after the read entry that are read too: see `KeptInput`. */
  readonly beginning?: number;
}

/** Loss that is known before sending: tokens that were sent before and will not be read, and the cause. */
export interface Loss {
  readonly cause: MissCause;
  readonly tokens: number;
}

/**
 * Source of the size in `held`. `count`: the provider counted it with the previous call. `scale`: it is estimated with
 * a ratio learned from other requests of the same model. `estimate`: it is estimated without such a ratio.
 */
export type HeldBy = 'count' | 'scale' | 'estimate';

/** Forecast of a call, with everything that is known before it is sent. */
export interface Outlook {
  readonly forecast: CallForecast;
  /** Tokens of this request that earlier calls of this stream left in the cache. They may have been lost since. */
  readonly held: number;
  readonly heldBy: HeldBy;
  readonly loss: Loss | undefined;
  /**
   * Reason why no request can read the entries of the previous call: they expired, or they belong to another account.
   */
  readonly gone: Extract<MissCause, 'expired' | 'account'> | undefined;
  /**
   * Cliff that the forecast of this request exceeds. The forecast of the previous request did not exceed it. If a
   * request exceeds a cliff, the model charges more for the whole request.
   */
  readonly cliff: CliffCost | undefined;
}

/**
 * Returns the forecast of a call, and any loss that is already known. If the provider's caching rules are unknown, the
 * forecast assumes no cache and is marked with `caching: 'unknown'`.
 */
export function forecast(input: ForecastInput): Outlook {
  const { sequence, capabilities } = input.lookup;
  const size = sizeByBlock(input);
  const total = size(sequence.blocks.length - 1);
  const { read, written, held, reads, ...counts } = accountOf(input, size);
  const fresh = total - read - written;
  const usage: Usage = { fresh, read, answer: 0, ...counts };
  const unsent = Math.min(total, Math.round(input.unsent));
  const before = heldBefore(input, total - unsent);
  const cost = costOfInput(capabilities, input.at, total, usage);
  return {
    forecast: {
      read,
      write: written,
      fresh,
      unsent,
      ...(reads === undefined || read === 0 ? {} : { reads }),
      ...cost,
      ...errorOf(input),
      ...(isUnknown(input) ? { caching: 'unknown' } : {}),
    },
    held: before,
    heldBy: heldByOf(input),
    gone: goneSince(input),
    cliff: cliffCrossed({ capabilities, at: input.at, usage }, lengthBefore(input)),
    loss: before > read ? { cause: causeOf(input, held === 0 ? total : Infinity), tokens: before - read } : undefined,
  };
}

/**
 * Returns the forecast input of the previous request to the same model, or 0. The forecast is used, not the count. If
 * the previous request crossed a cliff without a forecast of this, the cliff is therefore reported with the next
 * request.
 */
function lengthBefore({ accepted, model }: ForecastInput): number {
  if (accepted === undefined || accepted.model !== model) return 0;
  return expectedInput(accepted.prepared.forecast);
}

function goneSince({ accepted, lookup }: ForecastInput): Outlook['gone'] {
  if (accepted?.left === undefined) return undefined;
  const sameModel = accepted.left.parameters.tools === lookup.sequence.parameters.tools;
  if (sameModel && isOfOther(accepted.left, lookup.account)) return 'account';
  return isAlive(accepted.left, lookup.now) ? undefined : 'expired';
}

/**
 * Checks if the caching of this request cannot be predicted. This is the case if the request has no markers, and no
 * rule of the provider for caching without markers is known.
 */
function isUnknown({ lookup: { capabilities }, markers, keeping }: ForecastInput): boolean {
  const { markers: style } = capabilities;
  return keeping === undefined && markers.length === 0 && style !== 'explicit' && style !== 'none';
}

/** Returns the tokens that are read and written, and the last block that is read. */
function accountOf(
  input: ForecastInput,
  size: (block: number) => number,
): ImplicitBuckets & { readonly reads: number | undefined } {
  const { lookup, markers, keeping, beginning = 0 } = input;
  const { sequence, capabilities } = lookup;
  const marked = markers.map(({ block }) => block);
  if (keeping !== undefined)
    return {
      ...keptAccount({ sequence, capabilities, marked, hit: keeping.hit, beginning }, size),
      reads: keeping.hit?.block,
    };
  const cacheable = size(marked.at(-1) ?? -1);
  const held = cacheable < (capabilities.floor ?? 0) ? 0 : cacheable;
  const hit = held === 0 ? undefined : longestReached(input);
  const read = hit === undefined ? 0 : Math.min(size(hit.block), held);
  return { read, written: held - read, held, writes: writesOf(input, size, read, held), reads: hit?.block };
}

/**
 * Returns the written tokens by lifetime. A longer lifetime must come before a shorter one. Everything up to the last
 * one-hour marker is therefore written for one hour. The rest is written for five minutes.
 */
function writesOf(
  { markers }: ForecastInput,
  size: (block: number) => number,
  read: number,
  held: number,
): NonNullable<ImplicitBuckets['writes']> {
  const long = markers.findLast(({ ttl }) => ttl === '1h');
  const end = long === undefined ? read : Math.min(held, Math.max(read, size(long.block)));
  return [
    { ttl: '1h', tokens: end - read },
    { ttl: '5m', tokens: held - end },
  ];
}

function costOfInput(
  capabilities: Capabilities,
  day: Timestamp,
  total: number,
  usage: Usage,
): Pick<CallForecast, 'cost'> {
  const price = priceAt(capabilities, day.slice(0, 10), total);
  const cost = price === undefined ? undefined : costOf(price, usage);
  return cost === undefined ? {} : { cost: money(cost.total) };
}

/** Returns the longest entry that a marker finds within the lookback. */
function longestReached({ lookup, markers, readable }: ForecastInput): CacheEntry | undefined {
  return readable.findLast((entry) =>
    markers.some((marker) => marker.block >= entry.block && withinLookback(lookup, marker.block, entry.block)),
  );
}

/**
 * Checks if an entry is within the lookback of a marker. The marker's own position counts. A run of calls or results
 * may count as one position.
 */
function withinLookback({ sequence, capabilities }: Lookup, from: number, to: number): boolean {
  let positions = 1;
  for (let index = from; index > to && positions <= capabilities.lookback; index -= 1) {
    const run = itemAt(sequence.blocks, index)?.run;
    const joined = capabilities.runsCollapse && run !== 'none' && run === itemAt(sequence.blocks, index - 1)?.run;
    if (!joined) positions += 1;
  }
  return positions <= capabilities.lookback;
}

function heldByOf(input: ForecastInput): HeldBy {
  // If the request extends a counted request, the provider also counted the tokens that the counted request left in the
  // cache.
  if (input.accepted?.cached !== undefined && countedEnd(input) !== undefined) return 'count';
  return input.sizes === 'recorded' || isScaled(input.scales, input.model) ? 'scale' : 'estimate';
}

function heldBefore({ accepted, lookup, sizes }: ForecastInput, sentBefore: number): number {
  if (accepted === undefined) return 0;
  const extended =
    itemAt(lookup.sequence.prefixes, accepted.prepared.sequence.blocks - 1) === accepted.prepared.sequence.digest;
  const measures = sizes !== 'recorded' && extended && accepted.cached;
  const held = measures ? Math.min(sentBefore, measures) : sentBefore;
  const { implicit } = lookup.capabilities;
  return implicit?.at === 'grid' ? onGrid(held, implicit) : held;
}

/**
 * Returns the cause of a loss. `uncached` is the size of this request if none of its tokens will be cached, and
 * otherwise Infinity.
 */
function causeOf({ accepted, lookup }: ForecastInput, uncached: number): MissCause {
  const floor = floorOf(lookup.capabilities);
  const before = accepted?.cached === 0 ? (accepted.input ?? Infinity) : Infinity;
  if (Math.min(uncached, before) < floor) return 'below-floor';
  const left = accepted?.left;
  return left === undefined ? 'unknown' : (unreadable(left, lookup) ?? 'lookback');
}

/**
 * Returns the smallest prefix, in tokens, that the model is known to cache. Returns 0 if the floor is unknown, so no
 * request is below the floor.
 */
function floorOf({ floor, implicit }: Capabilities): number {
  return floor ?? (implicit?.at === 'grid' ? implicit.first : 0);
}
