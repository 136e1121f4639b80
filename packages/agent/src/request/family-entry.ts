// Finds a cache entry that another session of the same root left and that the next request reads.

import type { CacheEntry, State } from '@tidemark/context';
import { cacheEntryOf, readableEntries } from '@tidemark/context';
import type { Log, SharedEntry } from '@tidemark/log';
import { readWarmFamily } from '../session/warm-families.ts';
import type { PlanOptions } from './call-plan.ts';
import { routingKey } from './call-plan.ts';
import type { PromptStream } from './prompt-stream.ts';

/** An entry of another session, as it is recorded and as an entry of this session. */
export interface FamilyEntry {
  readonly recorded: SharedEntry;
  readonly entry: CacheEntry;
}

/**
 * Returns the longest entry of the family that the request can read. Returns `undefined` if this session knows an entry
 * that is at least as long.
 */
export async function findFamilyEntry(
  log: Pick<Log, 'shared'>,
  state: State,
  promptStream: PromptStream,
  { at, capabilities, account }: Pick<PlanOptions, 'at' | 'capabilities' | 'account'>,
): Promise<FamilyEntry | undefined> {
  const { session, root = session } = state;
  if (session === undefined || root === undefined) return undefined;
  const left = await readWarmFamily(log, { root, session }, at);
  if (left.length === 0) return undefined;
  const key = capabilities.implicit && routingKey(state, promptStream);
  const lookup = { sequence: promptStream.sequence, capabilities, now: Date.parse(at), key, account };
  const known = readableEntries(state.cache.entries, lookup).at(-1)?.block ?? -1;
  const found = left.flatMap((recorded): readonly FamilyEntry[] => {
    const entry = cacheEntryOf(recorded);
    const isRead = entry !== undefined && entry.block > known && readableEntries([entry], lookup).length > 0;
    return isRead ? [{ recorded, entry }] : [];
  });
  return found.toSorted((a, b) => b.entry.block - a.entry.block)[0];
}
