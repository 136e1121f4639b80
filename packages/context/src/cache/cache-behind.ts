// What the provider's cache is believed to hold behind a request that it accepted: what the request wrote, and what it read
// and so refreshed.

import type { KeptRecord, MarkerRecord, Usage } from '@tidemark/log';
import { milliseconds } from '@tidemark/log';
import { entryAt, isAlive, keptAt, LIFE } from './entries.ts';
import { KEEP_WARM } from './keep-warm.ts';
import type { Cache, CacheEntry, SentRequest, State } from '../state/state.ts';

/** Entries kept: the newest. Four markers a call, of which at most two are new. */
const ENTRIES_KEPT = 16;

/** The cache behind a request, and the request's own entries in it. `cached`: tokens; 0 where nothing reached the floor. */
export function cacheBehind(
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
 * A promoted entry that this request asked for, when nothing else could have kept it, and that was not read: less came than
 * half of what was forecast. Then the provider does not promote, whatever its row says.
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

/** What the promotions have not kept is gone. */
function dropPromoted(entries: readonly CacheEntry[]): readonly CacheEntry[] {
  return entries.filter(({ promoted }) => promoted !== true);
}

/** Layers and tools that were accepted, whatever the epoch: a new front has only the others to write anew. */
function sentFront({ epoch, cache: { front } }: State, { prepared }: SentRequest): Cache['front'] {
  // A side call may be answered when the next epoch is open already.
  if (epoch?.opened.number !== prepared.epoch) return front;
  const { tools, layers } = epoch.opened;
  const added = [...tools, ...layers].map(({ digest }) => digest).filter((digest) => !front.has(digest));
  return added.length === 0 ? front : new Set([...front, ...added]);
}

/**
 * Each marker names an entry: written now, or read and so refreshed. The same bytes under other parameters, or of another
 * model, are another entry; so are those that a side call read in its own way.
 */
function touch(entries: readonly CacheEntry[], touched: readonly CacheEntry[]): readonly CacheEntry[] {
  if (touched.length === 0) return entries;
  const others = entries.filter((entry) => !touched.some((one) => isSame(one, entry)));
  return [...others, ...touched].slice(-ENTRIES_KEPT);
}

/**
 * The entries of a request's markers. One that was alive keeps its life, which begins anew. A new one has the life that was
 * asked for, and no longer one than what was read before it: no provider is known to let what was free outlive what was
 * paid for. What was read unknown to this session is taken to be short-lived.
 */
function touchedBy(entries: readonly CacheEntry[], sent: SentRequest, usage: Usage | undefined): readonly CacheEntry[] {
  const now = milliseconds(sent.at);
  const alive = usage?.read === 0 ? [] : entries.filter((entry) => isAlive(entry, now));
  if (sent.prepared.kept !== undefined) return keptBy(sent, sent.prepared.kept, alive, usage);
  const touched = keptMarkers(sent).map((marker) => entryAt(sent, marker));
  const known = touched.map((entry) => sameIn(alive, entry));
  // A plan asks for no longer life than what it knows to be behind: only what this session never wrote is a surprise.
  const unknown = usage?.read !== undefined && usage.read > 0 && alive.length === 0;
  const last = known.findLastIndex((entry) => entry !== undefined);
  const behind = known[last]?.ttl ?? (unknown ? '5m' : '1h');
  const keeps = sent.prepared.purpose === KEEP_WARM;
  return touched.map((entry, index): CacheEntry => {
    const before = known[index];
    if (before !== undefined) return { ...entry, ttl: before.ttl, ...unprovedPromotion(before, now) };
    const ttl = shorter(entry.ttl, behind);
    // A call that keeps warm asks for a longer life than what is behind where it promotes, and nowhere else.
    return keeps && index > last && ttl !== entry.ttl ? { ...entry, promoted: true } : { ...entry, ttl };
  });
}

/** A read this far from its forecast, as a share of it, was of another entry than the one that was expected. */
const SAME_READ = 0.25;

/**
 * The entries with the sizes that calls counted: what the main stream left ends at its last entry, what was read at the one that was
 * expected to be. On a grid a read ends before the block does, and tells no size.
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
    // Beside, thinking may be stripped that the main stream's entry of the same bytes was counted with.
    const before = known[index]?.beside === entry.beside ? known[index]?.tokens : undefined;
    const tokens = isLeft ? cached : isRead ? read : before;
    return tokens === undefined ? entry : { ...entry, tokens };
  });
}

/** The same where the provider keeps entries by itself: one that was alive is as old as it is, and what was not found is gone. */
function keptBy(
  sent: SentRequest,
  kept: KeptRecord,
  alive: readonly CacheEntry[],
  usage: Usage | undefined,
): readonly CacheEntry[] {
  const { stream, markers } = sent.prepared;
  const places = kept.places.filter(({ found }) => found !== true || usage?.read !== 0);
  const touched = [...markers.map((marker) => entryAt(sent, marker)), ...places.map((one) => keptAt(sent, kept, one))];
  const inOrder = touched.toSorted((a, b) => a.block - b.block);
  return (stream === 'main' ? inOrder : inOrder.slice(0, -1)).map((entry) => {
    const same = alive.find((one) => isSame(one, entry))?.ttl;
    if (typeof entry.ttl === 'string' || same === undefined || typeof same === 'string') return entry;
    return { ...entry, ttl: { ...entry.ttl, born: same.born } };
  });
}

/** The entry of these bytes; a side call may have read the main stream's. */
function sameIn(alive: readonly CacheEntry[], entry: CacheEntry): CacheEntry | undefined {
  const same = alive.filter((one) => holdsSame(one, entry));
  return same.find(({ beside }) => beside === entry.beside) ?? same.at(-1);
}

/** An entry that was read while a short life would have done has shown nothing yet. */
function unprovedPromotion({ promoted, at }: CacheEntry, now: number): Pick<CacheEntry, 'promoted'> {
  return promoted === true && now - milliseconds(at) < LIFE['5m'] ? { promoted } : {};
}

function shorter(a: CacheEntry['ttl'], b: CacheEntry['ttl']): CacheEntry['ttl'] {
  return a === '5m' ? a : b;
}

/** A marker on the last words of a side call leaves what nobody sends again. */
function keptMarkers({ prepared: { stream, markers, sequence } }: SentRequest): readonly MarkerRecord[] {
  return stream === 'main' ? markers : markers.filter(({ block }) => block < sequence.blocks - 1);
}

function isSame(a: CacheEntry, b: CacheEntry): boolean {
  return a.beside === b.beside && holdsSame(a, b);
}

/** The same bytes under the same parameters, kept under the same key. The prefix tells most apart: it goes first. */
function holdsSame(a: CacheEntry, b: CacheEntry): boolean {
  return (
    a.prefix === b.prefix &&
    a.parameters[a.section] === b.parameters[b.section] &&
    a.images === b.images &&
    a.key === b.key &&
    a.account === b.account
  );
}
