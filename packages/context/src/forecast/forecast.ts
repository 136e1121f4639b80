// What a call is expected to read, write and cost, said before it is sent; and why it will read less than was sent before.

import type { CallForecast, MissCause, Timestamp, Usage } from '@tidemark/log';
import { money } from '@tidemark/log';
import type { Capabilities, Marker } from '@tidemark/model';
import { costOf, priceAt } from '@tidemark/model';
import { itemAt } from '../base/append-only.ts';
import type { Lookup } from '../cache/entries.ts';
import { isAlive, isOfOther, unreadable } from '../cache/entries.ts';
import type { ImplicitBuckets, Keeping } from '../cache/plan.ts';
import { keptAccount, onGrid } from '../cache/plan.ts';
import type { SizeInput } from '../cache/prefix-size.ts';
import { countedEnd, errorOf, sizeByBlock } from '../cache/prefix-size.ts';
import type { CliffCost } from '../pressure/gauge.ts';
import { cliffCrossed } from '../pressure/gauge.ts';
import { expectedInput, isScaled } from '../state/scales.ts';
import type { CacheEntry } from '../state/state.ts';

/** What a forecast is made from. */
export interface ForecastInput extends SizeInput {
  readonly at: Timestamp;
  readonly markers: readonly Marker[];
  /** Where the provider keeps entries by itself. */
  readonly keeping?: Keeping | undefined;
  /** Entries that this request can read. */
  readonly readable: readonly CacheEntry[];
  /** Tokens that were never sent on this stream, at the scale at which the model counts them. */
  readonly unsent: number;
  /** See `KeptInput`. */
  readonly beginning?: number;
}

/** A loss that is known before sending: tokens that were sent before and will not be read, and why. */
export interface Loss {
  readonly cause: MissCause;
  readonly tokens: number;
}

/**
 * How the size of what was held is known. `count`: it was counted with the call before. `scale`: the same model counted its words in
 * other requests. `estimate`: it did not.
 */
export type HeldBy = 'count' | 'scale' | 'estimate';

/** What is known of a call before it is sent. */
export interface Outlook {
  readonly forecast: CallForecast;
  /** Tokens of this request that were cached for this stream by the calls before it, whether or not they still are. */
  readonly held: number;
  readonly heldBy: HeldBy;
  readonly loss: Loss | undefined;
  /** Why what the call before left cannot be read, whatever the request holds: its age, or another account. */
  readonly gone: Extract<MissCause, 'expired' | 'account'> | undefined;
  /** The length that this request is the first to be forecast beyond, where that prices all of it dearer. */
  readonly cliff: CliffCost | undefined;
}

/**
 * The forecast of a call, and the loss it already knows of. Where nothing is published of how the provider caches, the numbers
 * are those of no cache, and say so.
 */
export function forecast(input: ForecastInput): Outlook {
  const { sequence, capabilities } = input.lookup;
  const size = sizeByBlock(input);
  const total = size(sequence.blocks.length - 1);
  const { read, written, held, reads, ...told } = accountOf(input, size);
  const fresh = total - read - written;
  const usage: Usage = { fresh, read, answer: 0, ...told };
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

/** Input of the request before, to the same model, as it was forecast: a cliff that was crossed unforeseen is told with the next one. */
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

/** Nothing is marked, and no rule is known by which the provider would keep something anyway. */
function isUnknown({ lookup: { capabilities }, markers, keeping }: ForecastInput): boolean {
  const { markers: style } = capabilities;
  return keeping === undefined && markers.length === 0 && style !== 'explicit' && style !== 'none';
}

/** What is read and written, and the block that the read ends with. */
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

/** Longer before shorter: up to the last long marker all is written long, the rest of what is cached short. */
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

/** The longest entry that some marker finds within the lookback. */
function longestReached({ lookup, markers, readable }: ForecastInput): CacheEntry | undefined {
  return readable.findLast((entry) =>
    markers.some((marker) => marker.block >= entry.block && withinLookback(lookup, marker.block, entry.block)),
  );
}

/** Positions from a marker back to an entry, the marker's own included; a run of calls or results may count once. */
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
  // The request goes on from one that was counted, and what that one left cached was counted too.
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

/** `uncached`: tokens of this request where it caches nothing. */
function causeOf({ accepted, lookup }: ForecastInput, uncached: number): MissCause {
  const floor = floorOf(lookup.capabilities);
  const before = accepted?.cached === 0 ? (accepted.input ?? Infinity) : Infinity;
  if (Math.min(uncached, before) < floor) return 'below-floor';
  const left = accepted?.left;
  return left === undefined ? 'unknown' : (unreadable(left, lookup) ?? 'lookback');
}

/** The smallest prefix that the model is known to cache; 0 where no one knows it: then no request is below it. */
function floorOf({ floor, implicit }: Capabilities): number {
  return floor ?? (implicit?.at === 'grid' ? implicit.first : 0);
}
