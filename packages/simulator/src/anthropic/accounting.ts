// Computes three numbers of tokens for one request: tokens read from the cache, tokens written to the cache, and tokens
// paid in full (provider-facts §1.1, §1.2). Covers the search from each breakpoint, one entry per breakpoint, the
// floor, and mixed lifetimes.
//
// Three places divide the input: the end of the hit, the last `1h` breakpoint and the last breakpoint. The four parts
// are, in order: tokens read, tokens written for `1h`, tokens written for `5m`, and fresh tokens. The computation is a
// pure function. The entry store at the end of this file keeps the entries.

import type { PrefixBlock } from './prefix.ts';
import type { MarkerTtl } from './request.ts';
import type { Breakpoint } from './markers.ts';

/**
 * Input tokens of a request in separate groups: not cached (`fresh`), read from the cache, and written with each
 * lifetime. Each input token belongs to exactly one group.
 */
export interface CacheCounts {
  readonly fresh: number;
  readonly read: number;
  readonly written5m: number;
  readonly written1h: number;
}

/**
 * Result of `accountRequest`: the token counts of a request, and the cache entries that it reads, refreshes and writes.
 */
export interface RequestAccount {
  readonly counts: CacheCounts;
  /** Cache entry that the request read, with its index in the prefix. `undefined` if the request read none. */
  readonly hit: { readonly at: number; readonly entry: StoredEntry } | undefined;
  /**
   * Entries that the hit refreshes: the entry that the request read, and entries at breakpoints before it. When this
   * request starts, the lifetime of each refreshed entry starts again.
   */
  readonly refreshed: readonly Omit<StoredEntry, 'availableAt'>[];
  /** Entries that this request writes. They become readable when the answer to this request begins. */
  readonly written: readonly Omit<StoredEntry, 'availableAt'>[];
}

/**
 * Input of `accountRequest`: the prefix of a request, its breakpoints, the known cache entries and the caching rules of
 * the model.
 */
export interface AccountingInput {
  readonly prefix: readonly PrefixBlock[];
  readonly breakpoints: readonly Breakpoint[];
  readonly find: (hash: string) => StoredEntry | undefined;
  /** Start of the request, in milliseconds since the epoch. */
  readonly now: number;
  readonly floor: number;
  readonly lookback: number;
  readonly runsCollapse: boolean;
  /**
   * True if a write marked `1h` lives one hour even after a hit on a `5m` entry. This is the literal reading of the
   * billing rule in provider-facts §1.1. If false, the written entry gets the shorter of two lifetimes: the lifetime of
   * its own marker, and the lifetime of the entry that was read.
   */
  readonly promotes: boolean;
}

interface Marked {
  readonly at: number;
  readonly ttl: MarkerTtl;
}

/**
 * Computes the token counts of one request and the entries that it reads, refreshes and writes. This function is pure:
 * it changes no store.
 */
export function accountRequest(input: AccountingInput): RequestAccount {
  const { prefix } = input;
  const marked = cacheableMarkers(input);
  const hit = findHit(input, marked);
  const tokensAt = (at: number): number => prefix[at]?.tokens ?? 0;
  const total = prefix.at(-1)?.tokens ?? 0;
  const read = hit === undefined ? 0 : tokensAt(hit.at);
  const beyond = marked.filter(({ at }) => hit === undefined || at > hit.at);
  const long = beyond.findLast(({ ttl }) => ttl === '1h');
  const last = beyond.at(-1);
  const longEnd = long === undefined ? read : tokensAt(long.at);
  const end = last === undefined ? read : tokensAt(last.at);
  return {
    counts: { fresh: total - end, read, written5m: end - longEnd, written1h: longEnd - read },
    hit,
    refreshed: hit === undefined ? [] : refresh(input, marked, hit),
    written: beyond.map((marker) => writtenEntry(input, marker, hit?.entry)),
  };
}

/**
 * Returns the breakpoints whose prefix reaches the floor (the minimum number of tokens), in order. Each breakpoint has
 * its index in the prefix. A breakpoint below the floor causes no error and writes no entry (provider-facts §1.2).
 */
function cacheableMarkers(input: AccountingInput): readonly Marked[] {
  const wanted = new Map(input.breakpoints.map((breakpoint) => [breakpoint.block, breakpoint.ttl]));
  return input.prefix.flatMap(({ block, tokens }, at) => {
    const ttl = wanted.get(block.index);
    return ttl === undefined || tokens < input.floor ? [] : [{ at, ttl }];
  });
}

/**
 * Searches for an entry, starting at the last breakpoint. The search tries the breakpoint's own hash first. Then it
 * goes back one position at a time. If the lookback ends without a hit, the search continues at the next earlier
 * breakpoint. Returns `undefined` if the search finds no entry from any breakpoint.
 */
function findHit(input: AccountingInput, marked: readonly Marked[]): RequestAccount['hit'] {
  const positions = positionsOf(input.prefix, input.runsCollapse);
  let searched = Number.POSITIVE_INFINITY;
  for (const { at: start } of marked.toReversed()) {
    const lowest = (positions[start] ?? 0) - input.lookback + 1;
    for (let at = Math.min(start, searched - 1); at >= 0 && (positions[at] ?? 0) >= lowest; at -= 1) {
      const entry = input.find(input.prefix[at]?.hash ?? '');
      if (entry !== undefined) return { at, entry };
      searched = at;
    }
  }
  return undefined;
}

/**
 * Returns the entries whose lifetime the hit restarts. These are the entry that was read, and the known entries at
 * earlier breakpoints. Each of them keeps its own length of lifetime. If an earlier breakpoint has no entry, it gets a
 * new entry at no cost. The new entry gets the shorter of two lifetimes: the lifetime of the marker, and the lifetime
 * of the entry that was read. Reason: an entry without a paid write cannot live longer than the paid entry.
 */
function refresh(
  input: AccountingInput,
  marked: readonly Marked[],
  hit: NonNullable<RequestAccount['hit']>,
): readonly Omit<StoredEntry, 'availableAt'>[] {
  const covered = marked.filter(({ at }) => at < hit.at);
  const before = covered.map(({ at, ttl }) => {
    const known = input.find(input.prefix[at]?.hash ?? '');
    return entryAt(input, at, known?.ttl ?? shorter(ttl, hit.entry.ttl));
  });
  return [...before, entryAt(input, hit.at, hit.entry.ttl)];
}

function writtenEntry(
  input: AccountingInput,
  marker: Marked,
  readEntry: StoredEntry | undefined,
): Omit<StoredEntry, 'availableAt'> {
  const ttl = input.promotes || readEntry === undefined ? marker.ttl : shorter(marker.ttl, readEntry.ttl);
  return entryAt(input, marker.at, ttl);
}

function entryAt(input: AccountingInput, at: number, ttl: MarkerTtl): Omit<StoredEntry, 'availableAt'> {
  const { hash = '', tokens = 0 } = input.prefix[at] ?? {};
  return { hash, tokens, ttl, expiry: input.now + LIFETIME[ttl] };
}

function shorter(a: MarkerTtl, b: MarkerTtl): MarkerTtl {
  return a === '5m' || b === '5m' ? '5m' : '1h';
}

/**
 * One entry of the store. The store finds an entry by the hash of the whole prefix up to the entry. Each account and
 * model has its own store (provider-facts §1.1, "Isolation"). A request that writes or reads the entry starts the
 * lifetime of the entry when the request starts. An entry is readable after the answer that wrote it has begun. Times
 * are in milliseconds since the epoch.
 */
export interface StoredEntry {
  readonly hash: string;
  readonly tokens: number;
  readonly ttl: MarkerTtl;
  /** The entry is expired from this time on. */
  readonly expiry: number;
  readonly availableAt: number;
}

/** Store of the cache entries of one account and model. */
export interface EntryStore {
  /** Returns the entry with this hash if it is readable and not expired at `now`. */
  find(hash: string, now: number): StoredEntry | undefined;
  put(entry: StoredEntry): void;
  clear(): void;
  readonly size: number;
}

/** Length of each lifetime, in milliseconds. */
const LIFETIME: { readonly [ttl in MarkerTtl]: number } = { '5m': 300_000, '1h': 3_600_000 };

const SWEEP_EVERY = 1024;

/** Creates an empty store. After every 1,024 writes the store removes its expired entries. */
export function createEntries(): EntryStore {
  const entries = new Map<string, StoredEntry>();
  let puts = 0;
  return {
    find(hash, now) {
      const entry = entries.get(hash);
      return entry !== undefined && entry.availableAt <= now && now < entry.expiry ? entry : undefined;
    },
    put(entry) {
      const known = entries.get(entry.hash);
      entries.set(entry.hash, known === undefined ? entry : merge(known, entry));
      puts += 1;
      if (puts % SWEEP_EVERY === 0) sweep(entries, entry.availableAt);
    },
    clear() {
      entries.clear();
    },
    get size() {
      return entries.size;
    },
  };
}

/**
 * Merges two versions of one entry. The merged entry is readable from the earlier `availableAt` on. It expires at the
 * later `expiry`. If the known entry expires before the next version is readable, the result is the next version.
 */
function merge(known: StoredEntry, next: StoredEntry): StoredEntry {
  if (known.expiry <= next.availableAt) return next;
  const longer = next.expiry >= known.expiry ? next : known;
  return { ...longer, availableAt: Math.min(known.availableAt, next.availableAt) };
}

function sweep(entries: Map<string, StoredEntry>, now: number): void {
  for (const [hash, entry] of entries) if (entry.expiry <= now) entries.delete(hash);
}

/**
 * Returns the lookback position of each block of a prefix, in ascending order from 0 (provider-facts §0.3, §1.1). By
 * default every block is one position. With `runsCollapse`, as on the first-party API, consecutive calls together are
 * one position. Consecutive results together are one position too.
 */
export function positionsOf(prefix: readonly PrefixBlock[], runsCollapse: boolean): readonly number[] {
  const positions: number[] = [];
  let position = -1;
  let run = '';
  for (const { block } of prefix) {
    const kind = block.type === 'tool_use' || block.type === 'tool_result' ? block.type : '';
    if (!runsCollapse || kind === '' || kind !== run) position += 1;
    run = kind;
    positions.push(position);
  }
  return positions;
}
