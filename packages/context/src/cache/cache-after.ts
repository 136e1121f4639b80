// Estimates the content of the provider's cache after an accepted request: the entries that the request wrote, and the
// entries that it refreshed by reading them.

import type { KeptRecord, MarkerRecord, Usage } from '@tidemark/log';
import { milliseconds } from '@tidemark/log';
import { entryAt, isAlive, keptAt, LIFE } from './entries.ts';
import { KEEP_WARM } from './keep-warm.ts';
import type { Cache, CacheEntry, SentRequest, State } from '../state/state.ts';

/**
 * Maximum number of entries kept. If there are more, the oldest entries are dropped. A call has at most four markers,
 * and at most two of them create a new entry.
 */
const ENTRIES_KEPT = 16;

/**
 * Returns the cache after a request, and the entries that the request wrote or read. `cached` is the number of tokens
 * in the cache after the request. It is 0 if the request did not reach the floor, and `undefined` if it is unknown.
 */
export function cacheAfter(
  state: State,
  sent: SentRequest,
  usage: Usage | undefined,
  cached: number | undefined,
): { readonly cache: Cache; readonly touched: readonly CacheEntry[] } {
  const { entries, promotionMissed } = state.cache;
  const missed = missedPromotion(entries, sent, usage);
  const held = missed ? dropPromoted(entries) : entries;
  const touched = cached === 0 ? [] : withSizes(touchedBy(held, sent, usage), held, sent, usage, cached);
  const front = sentFront(state, sent);
  return { cache: { entries: touch(held, touched), front, promotionMissed: promotionMissed || missed }, touched };
}

/**
 * Returns true if a request shows that the provider did not keep a promoted entry for its longer lifetime. The catalog
 * row may claim that the provider keeps it. Two conditions must hold. The request marks a promoted entry that is too
 * old to exist without the promotion. The request read less than half of the forecast tokens.
 */
function missedPromotion(entries: readonly CacheEntry[], sent: SentRequest, usage: Usage | undefined): boolean {
  if (usage?.read === undefined || usage.read * 2 >= sent.prepared.forecast.read) return false;
  const now = milliseconds(sent.at);
  const asked = new Set<string>(sent.prepared.markers.map(({ prefix }) => prefix));
  return entries.some(
    ({ promoted, prefix, at, ...entry }) =>
      promoted === true &&
      asked.has(prefix) &&
      now - milliseconds(at) >= LIFE['5m'] &&
      isAlive({ ...entry, prefix, at }, now),
  );
}

function dropPromoted(entries: readonly CacheEntry[]): readonly CacheEntry[] {
  return entries.filter(({ promoted }) => promoted !== true);
}

/**
 * Returns the digests of the layers and tools of all accepted requests, over all epochs. A new front has to write only
 * its other layers and tools.
 */
function sentFront({ epoch, cache: { front } }: State, { prepared }: SentRequest): Cache['front'] {
  // A side call may be answered after the next epoch has opened. The state then no longer contains the front that the
  // side call used.
  if (epoch?.opened.number !== prepared.epoch) return front;
  const { tools, layers } = epoch.opened;
  const added = [...tools, ...layers].map(({ digest }) => digest).filter((digest) => !front.has(digest));
  return added.length === 0 ? front : new Set([...front, ...added]);
}

/**
 * Replaces entries with their refreshed form and adds new entries. Two entries with the same bytes are different if
 * their parameters, model, key or account differ. They are also different if only one of them belongs to a side call.
 */
function touch(entries: readonly CacheEntry[], touched: readonly CacheEntry[]): readonly CacheEntry[] {
  if (touched.length === 0) return entries;
  const others = entries.filter((entry) => !touched.some((one) => isSame(one, entry)));
  return [...others, ...touched].slice(-ENTRIES_KEPT);
}

/**
 * Returns the entries of a request's markers. If an entry was alive, it keeps its lifetime, and the lifetime starts
 * again. A new entry has the requested lifetime, but at most the lifetime of the last entry that the request read. The
 * reason is that no provider is known to keep an entry longer for free. If the request read an entry that this session
 * does not know, that entry is assumed to be short-lived.
 */
function touchedBy(entries: readonly CacheEntry[], sent: SentRequest, usage: Usage | undefined): readonly CacheEntry[] {
  const now = milliseconds(sent.at);
  const alive = usage?.read === 0 ? [] : entries.filter((entry) => isAlive(entry, now));
  if (sent.prepared.kept !== undefined) return keptBy(sent, sent.prepared.kept, alive, usage);
  const touched = keptMarkers(sent).map((marker) => entryAt(sent, marker));
  const known = touched.map((entry) => sameIn(alive, entry));
  // The plan already limits new lifetimes by the entries that it knows. An entry can be shorter-lived than the plan
  // expects only if this session did not write it.
  const unknown = usage?.read !== undefined && usage.read > 0 && alive.length === 0;
  const last = known.findLastIndex((entry) => entry !== undefined);
  const longest = known[last]?.ttl ?? (unknown ? '5m' : '1h');
  const keeps = sent.prepared.purpose === KEEP_WARM;
  return touched.map((entry, index): CacheEntry => {
    const before = known[index];
    if (before !== undefined) return { ...entry, ttl: before.ttl, ...unprovedPromotion(before, now) };
    const ttl = shorter(entry.ttl, longest);
    // Only a keep-warm call that promotes an entry asks for a longer lifetime than the previous entry has.
    return keeps && index > last && ttl !== entry.ttl ? { ...entry, promoted: true } : { ...entry, ttl };
  });
}

/**
 * Maximum relative difference between a read and its forecast. If the difference is not larger, the request is assumed
 * to have read the expected entry.
 */
const SAME_READ = 0.25;

/**
 * Adds the measured sizes to the entries. The last entry of the main stream gets the size that the call left in the
 * cache. The entry that was expected to be read gets the number of tokens that were read. If the provider caches on a
 * grid of tokens, the cached part ends inside a block, so no sizes are added.
 */
function withSizes(
  touched: readonly CacheEntry[],
  entries: readonly CacheEntry[],
  { prepared: { forecast, kept, stream }, at }: SentRequest,
  usage: Usage | undefined,
  cached: number | undefined,
): readonly CacheEntry[] {
  if (kept?.grid !== undefined) return touched;
  const alive = entries.filter((entry) => isAlive(entry, milliseconds(at)));
  const known = touched.map((entry) => sameIn(alive, entry));
  const { read = 0 } = usage ?? {};
  const expected = read > 0 && Math.abs(read - forecast.read) <= SAME_READ * forecast.read;
  return touched.map((entry, index) => {
    const isLeft = stream === 'main' && index === touched.length - 1;
    const isRead = expected && entry.block === forecast.reads;
    // The size of a main stream's entry can include thinking that a side call with the same bytes strips. A size is
    // therefore reused only between two entries of side calls or between two entries of the main stream.
    const before = known[index]?.beside === entry.beside ? known[index]?.tokens : undefined;
    const tokens = isLeft ? cached : isRead ? read : before;
    return tokens === undefined ? entry : { ...entry, tokens };
  });
}

/**
 * Returns the entries of a request to a provider that caches without markers. If an entry was alive, it keeps its
 * creation time. If an entry was expected but not found, it is dropped.
 */
function keptBy(
  sent: SentRequest,
  record: KeptRecord,
  alive: readonly CacheEntry[],
  usage: Usage | undefined,
): readonly CacheEntry[] {
  const { stream, markers } = sent.prepared;
  const places = record.places.filter(({ found }) => found !== true || usage?.read !== 0);
  const touched = [
    ...markers.map((marker) => entryAt(sent, marker)),
    ...places.map((one) => keptAt(sent, record, one)),
  ];
  const inOrder = touched.toSorted((a, b) => a.block - b.block);
  return (stream === 'main' ? inOrder : inOrder.slice(0, -1)).map((entry) => {
    const same = alive.find((one) => isSame(one, entry))?.ttl;
    if (typeof entry.ttl === 'string' || same === undefined || typeof same === 'string') return entry;
    return { ...entry, ttl: { ...entry.ttl, born: same.born } };
  });
}

/** Returns the live entry with the same bytes, if any. For a side call, it may be an entry of the main stream. */
function sameIn(alive: readonly CacheEntry[], entry: CacheEntry): CacheEntry | undefined {
  const same = alive.filter((one) => holdsSame(one, entry));
  return same.find(({ beside }) => beside === entry.beside) ?? same.at(-1);
}

/**
 * Keeps the `promoted` flag of an entry that is younger than five minutes. Reading such an entry does not prove the
 * promotion, because even without the promotion the entry lives for five minutes.
 */
function unprovedPromotion({ promoted, at }: CacheEntry, now: number): Pick<CacheEntry, 'promoted'> {
  return promoted === true && now - milliseconds(at) < LIFE['5m'] ? { promoted } : {};
}

function shorter(a: CacheEntry['ttl'], b: CacheEntry['ttl']): CacheEntry['ttl'] {
  return a === '5m' ? a : b;
}

/**
 * Returns the markers whose entries a later request can read. The last block of a side call is never sent again, so its
 * marker is omitted.
 */
function keptMarkers({ prepared: { stream, markers, sequence } }: SentRequest): readonly MarkerRecord[] {
  return stream === 'main' ? markers : markers.filter(({ block }) => block < sequence.blocks - 1);
}

function isSame(a: CacheEntry, b: CacheEntry): boolean {
  return a.beside === b.beside && holdsSame(a, b);
}

/**
 * Returns true if two entries have the same bytes and parameters, and are kept under the same key and account. The
 * prefix differs most often, so it is compared first.
 */
function holdsSame(a: CacheEntry, b: CacheEntry): boolean {
  return (
    a.prefix === b.prefix &&
    a.parameters[a.section] === b.parameters[b.section] &&
    a.images === b.images &&
    a.key === b.key &&
    a.account === b.account
  );
}
