// Entries of the cache that end in the front, as an epoch records them: a session that begins on the front of another one knows
// what that has cached of it, and forecasts that it reads it.

import type { FrontEntry } from '@tidemark/log';
import { digest } from '@tidemark/log';
import { isAlive } from './entries.ts';
import type { CacheEntry, State } from '../state/state.ts';

/** What is believed to be cached of the front, newest last. What was promoted and not seen to live on is left out. */
export function frontEntries({ cache }: State): readonly FrontEntry[] {
  return cache.entries.flatMap(
    ({ section, block, prefix, parameters, key, account, tokens, ttl, promoted, at }): readonly FrontEntry[] => {
      if (section === 'messages' || promoted === true) return [];
      const kept = {
        ...(key !== undefined && { key }),
        ...(account !== undefined && { account }),
        ...(tokens !== undefined && { tokens }),
      };
      return [{ section, block, prefix: digest(prefix), parameters, ...kept, ...lifeOf(ttl), at }];
    },
  );
}

function lifeOf(ttl: CacheEntry['ttl']): Pick<FrontEntry, 'ttl' | 'kept'> {
  if (typeof ttl === 'string') return { ttl };
  const { idleMs: idle, ageMs: age, born } = ttl;
  return { kept: { idle, ...(age !== undefined && { age }), born } };
}

/** Whether an entry has not expired by then (milliseconds); one of a life that cannot be read has. */
export function isWarmAt(entry: FrontEntry, now: number): boolean {
  return entriesOf([entry]).some((one) => isAlive(one, now));
}

/** The same as this session believes them to be; none of a life that it cannot read. */
export function entriesOf(cached: readonly FrontEntry[]): readonly CacheEntry[] {
  return cached.flatMap(({ ttl, kept, ...entry }): readonly CacheEntry[] => {
    const of = entry.block + 1;
    const common = { ...entry, of, images: false, beside: false };
    if (ttl !== undefined) return [{ ...common, ttl }];
    if (kept === undefined) return [];
    const { idle: idleMs, age: ageMs, born } = kept;
    return [{ ...common, ttl: { idleMs, ...(ageMs !== undefined && { ageMs }), born } }];
  });
}
