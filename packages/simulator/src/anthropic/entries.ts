// The cache itself: entries by cumulative hash, one store per account and model (§1.1 isolation). An entry lives for its
// lifetime from the start of the request that wrote or last read it, and can be read once its answer has begun.

import type { MarkerTtl } from './request.ts';

/** One entry. Times are milliseconds since the epoch. */
export interface StoredEntry {
  readonly hash: string;
  readonly tokens: number;
  readonly ttl: MarkerTtl;
  /** First moment at which it is gone. */
  readonly expiry: number;
  readonly availableAt: number;
}

/** The entries of one account and model. */
export interface EntryStore {
  /** The live, readable entry under this hash. */
  find(hash: string, now: number): StoredEntry | undefined;
  put(entry: StoredEntry): void;
  /** Drops all entries. */
  clear(): void;
  readonly size: number;
}

/** Milliseconds of each lifetime. */
export const LIFETIME: { readonly [ttl in MarkerTtl]: number } = { '5m': 300_000, '1h': 3_600_000 };

const SWEEP_EVERY = 1024;

/** An empty store. It forgets what expired as it grows. */
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

/** Two requests wrote or read one entry: it is readable since the earlier and lives as long as the later gives. */
function merge(known: StoredEntry, next: StoredEntry): StoredEntry {
  if (known.expiry <= next.availableAt) return next;
  const longer = next.expiry >= known.expiry ? next : known;
  return { ...longer, availableAt: Math.min(known.availableAt, next.availableAt) };
}

function sweep(entries: Map<string, StoredEntry>, now: number): void {
  for (const [hash, entry] of entries) if (entry.expiry <= now) entries.delete(hash);
}
