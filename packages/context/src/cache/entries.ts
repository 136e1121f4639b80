// Finds the cache entries that the next request can read. They are not expired, have the same bytes and parameters as
// the request, and are not dropped by the provider's own rules.

import { defined } from '@tidemark/core';
import type {
  KeptPlace,
  KeptRecord,
  MarkerRecord,
  MissCause,
  RequestPrepared,
  FrontEntry,
  SharedEntry,
} from '@tidemark/log';
import { milliseconds, digest } from '@tidemark/log';
import type { Capabilities, Section, Ttl } from '@tidemark/model';
import { itemAt } from '../base/append-only.ts';
import type { Sequence } from './sequence.ts';
import { turnStartOf } from './sequence.ts';
import type { CacheEntry, KeptLife, SentRequest, State } from '../state/state.ts';

const MINUTE = 60_000;

/** Lifetime of an entry in milliseconds, from the start of the request that wrote or last read it. */
export const LIFE: Readonly<Record<Ttl, number>> = {
  '5m': 5 * MINUTE,
  '30m': 30 * MINUTE,
  '1h': 60 * MINUTE,
  '12h': 720 * MINUTE,
};

/**
 * Returns the cache entry that belongs to a marker of a request. An entry that ends in the front does not depend on the
 * content after the front, so its `images` and `beside` are false.
 */
export function entryAt({ prepared, at }: SentRequest, { block, prefix, ttl }: MarkerRecord): CacheEntry {
  const { sequence, counts, mediaBytes = 0, stream } = prepared;
  const section = sectionOf(counts, block);
  const inMessages = section === 'messages';
  return {
    parameters: sequence.parameters,
    block,
    section,
    of: sequence.blocks,
    images: inMessages && mediaBytes > 0,
    beside: inMessages && stream !== 'main',
    prefix,
    ...keyOf(prepared),
    ttl,
    at,
  };
}

/**
 * Returns the entry that a provider without markers keeps at a block. Images and old thinking do not affect such
 * caches, so `images` and `beside` are false.
 */
export function keptAt(
  { prepared, at }: SentRequest,
  { idle, age }: KeptRecord,
  { block, prefix }: KeptPlace,
): CacheEntry {
  const { sequence, counts } = prepared;
  const life = { idleMs: idle * MINUTE, ...(age === undefined ? {} : { ageMs: age * MINUTE }), born: at };
  return {
    parameters: sequence.parameters,
    block,
    section: sectionOf(counts, block),
    of: sequence.blocks,
    images: false,
    beside: false,
    prefix,
    ...keyOf(prepared),
    ttl: life,
    at,
  };
}

function keyOf({ kept, account }: RequestPrepared): Pick<CacheEntry, 'key' | 'account'> {
  return defined({ key: kept?.key, account });
}

function sectionOf({ tools, system }: RequestPrepared['counts'], block: number): Section {
  if (block < tools) return 'tools';
  return block < tools + system ? 'system' : 'messages';
}

/** Request that entries are compared with. */
export interface Lookup {
  readonly sequence: Sequence;
  readonly capabilities: Capabilities;
  /** Time of the request to send, in milliseconds since the Unix epoch. */
  readonly now: number;
  /**
   * Cache key under which the provider keeps the entries. Absent if the provider finds marked entries by their bytes
   * alone.
   */
  readonly key?: string | undefined;
  /** Account that sends the request. Absent if unknown. */
  readonly account?: string | undefined;
}

/** Returns the entries that the next request can read, with the shortest prefix first. */
export function readableEntries(entries: readonly CacheEntry[], lookup: Lookup): readonly CacheEntry[] {
  return entries.filter((entry) => unreadable(entry, lookup) === undefined).toSorted((a, b) => a.block - b.block);
}

/** Returns the reason why the next request cannot read an entry, or `undefined` if it can. */
export function unreadable(entry: CacheEntry, lookup: Lookup): MissCause | undefined {
  const { sequence, capabilities, now } = lookup;
  if (itemAt(sequence.prefixes, entry.block) !== entry.prefix) return 'opened';
  if (entry.parameters[entry.section] !== sequence.parameters[entry.section]) return 'parameter';
  if (isOfOther(entry, lookup.account)) return 'account';
  if (!isAlive(entry, now)) return 'expired';
  if (entry.key !== lookup.key) return 'overflow-routing';
  if (entry.section !== 'messages') return undefined;
  const minded = 'images' in capabilities.renderParameters;
  if (minded && entry.images !== (sequence.firstImage !== undefined)) return 'image';
  return capabilities.thinkingStripped === 'at-new-turn' && lostThinking(sequence, entry)
    ? 'thinking-stripped'
    : undefined;
}

/** Returns true if an entry is in the cache of another account. Returns false if either account is unknown. */
export function isOfOther({ account }: Pick<CacheEntry, 'account'>, asked: string | undefined): boolean {
  return account !== undefined && asked !== undefined && account !== asked;
}

/** Returns true if an entry has not expired at `now`, in milliseconds since the Unix epoch. */
export function isAlive(entry: CacheEntry, now: number): boolean {
  return now < expiryOf(entry);
}

/** Returns the time at which an entry expires if no request reads it before, in milliseconds since the Unix epoch. */
export function expiryOf({ ttl, at }: Pick<CacheEntry, 'ttl' | 'at'>): number {
  if (typeof ttl === 'string') return milliseconds(at) + LIFE[ttl];
  return Math.min(milliseconds(at) + ttl.idleMs, milliseconds(ttl.born) + (ttl.ageMs ?? Infinity));
}

/**
 * Checks if the entry is unreadable because of thinking before its end. This is the case if only one of two requests
 * contains the thinking: the request that wrote the entry, or the next request. A request contains only the thinking of
 * its latest turn. A side call contains no thinking.
 */
function lostThinking(sequence: Sequence, entry: CacheEntry): boolean {
  const shownThen = entry.beside ? Infinity : turnStartOf(sequence, entry.of).block;
  const shownNow = turnStartOf(sequence).block;
  const then = Math.min(shownThen, shownNow);
  const now = Math.max(shownThen, shownNow);
  for (let index = sequence.turns.length - 1; index >= 0; index -= 1) {
    const turn = itemAt(sequence.turns, index);
    if (turn === undefined || turn.block < then) return false;
    if (turn.block < now && turn.thinking !== undefined && turn.thinking <= entry.block) return true;
  }
  return false;
}

// The next functions handle cache entries that end in the front, in the form that an epoch records. A session that
// begins with the front of another session uses these records to forecast how much it can read.

/**
 * Returns the entries of the front that are believed to be cached, newest last. Promoted entries whose longer lifetime
 * is not proved are omitted.
 */
export function frontEntries({ cache }: State): readonly FrontEntry[] {
  return cache.entries.flatMap(
    ({ section, block, prefix, parameters, key, account, tokens, ttl, promoted, at }): readonly FrontEntry[] => {
      if (section === 'messages' || promoted === true) return [];
      const optional = defined({ key, account, tokens });
      return [{ section, block, prefix: digest(prefix), parameters, ...optional, ...lifeOf(ttl), at }];
    },
  );
}

function lifeOf(ttl: CacheEntry['ttl']): Pick<FrontEntry, 'ttl' | 'kept'> {
  if (typeof ttl === 'string') return { ttl };
  const { idleMs: idle, ageMs: age, born } = ttl;
  return { kept: defined({ idle, age, born }) };
}

/**
 * Returns true if an entry has not expired at `now`, in milliseconds since the Unix epoch. An entry that was recorded
 * without a lifetime counts as expired.
 */
export function isWarmAt({ ttl, kept, at }: Pick<FrontEntry, 'ttl' | 'kept' | 'at'>, now: number): boolean {
  const life = ttl ?? (kept && keptLife(kept));
  return life !== undefined && now < expiryOf({ ttl: life, at });
}

function keptLife({ idle: idleMs, age: ageMs, born }: NonNullable<FrontEntry['kept']>): KeptLife {
  return defined({ idleMs, ageMs, born });
}

/**
 * Converts recorded entries of a front to cache entries of this session. Entries that were recorded without a lifetime
 * are omitted.
 */
export function entriesOf(cached: readonly FrontEntry[]): readonly CacheEntry[] {
  return cached.flatMap(({ ttl, kept, ...entry }): readonly CacheEntry[] => {
    const of = entry.block + 1;
    const common = { ...entry, of, images: false, beside: false };
    if (ttl !== undefined) return [{ ...common, ttl }];
    return kept === undefined ? [] : [{ ...common, ttl: keptLife(kept) }];
  });
}

/** Maximum number of entries that a session leaves from each end of its request. */
const MAX_SHARED = 3;

/**
 * Returns the entries of a request for the other sessions of the same root: the shortest, which forks share most often,
 * and the longest. Entries of side calls, and promoted entries whose longer lifetime is not proved, are omitted.
 */
export function sharedEntries(
  { cache }: State,
  { prefixes }: Pick<Sequence, 'prefixes'>,
  sizeOf: (block: number) => number,
): readonly SharedEntry[] {
  const all = cache.entries
    .filter(({ block, prefix, beside, promoted }) => !beside && promoted !== true && itemAt(prefixes, block) === prefix)
    .toSorted((a, b) => a.block - b.block);
  const chosen = all.filter((_, index) => index < MAX_SHARED || index >= all.length - MAX_SHARED);
  return chosen.map(({ section, block, of, images, prefix, parameters, key, account, tokens, ttl, at }) => ({
    section,
    block,
    of,
    ...(images && { images }),
    prefix: digest(prefix),
    parameters,
    ...defined({ key, account }),
    tokens: tokens ?? sizeOf(block),
    ...lifeOf(ttl),
    at,
  }));
}

/** Converts an entry of another session. Returns `undefined` for an entry without a lifetime. */
export function cacheEntryOf({ ttl, kept, images = false, ...entry }: SharedEntry): CacheEntry | undefined {
  const life = ttl ?? (kept && keptLife(kept));
  return life && { ...entry, images, beside: false, ttl: life };
}

/** Returns the state with an entry that another session left. */
export function withEntry(state: State, entry: CacheEntry | undefined): State {
  return entry === undefined
    ? state
    : { ...state, cache: { ...state.cache, entries: [...state.cache.entries, entry] } };
}
