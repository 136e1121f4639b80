// Index of the cache entries that the sessions of one root left: a session, its forks and their forks. A fork reads the
// entries that a sibling has written after the fork point. It is derived data. The entry that a request counts on is
// recorded with the request (L2), so nothing depends on the index (L9).

import { isWarmAt } from '@tidemark/context';
import type { Log, SessionId, SharedEntry, Timestamp, WarmSession } from '@tidemark/log';
import { decodeWarmFamilies, encodeWarmFamilies, milliseconds } from '@tidemark/log';

const NAME = 'warm-families';

/** Maximum number of sessions in the index. */
const MAX_SESSIONS = 32;

/** Names a session and the root of its family. */
export type FamilyMember = Pick<WarmSession, 'root' | 'session'>;

/**
 * Returns the unexpired entries of the other sessions of the family. Returns an empty list if the store has no index, or
 * if the index is damaged.
 */
export async function readWarmFamily(
  { shared }: Pick<Log, 'shared'>,
  { root, session }: FamilyMember,
  at: Timestamp,
): Promise<readonly SharedEntry[]> {
  const now = milliseconds(at);
  return decodeWarmFamilies((await shared?.get(NAME)) ?? '')
    .filter((one) => one.root === root && one.session !== session)
    .flatMap(({ entries }) => entries.filter((entry) => isWarmAt(entry, now)));
}

/** Replaces the entries of a session in the index. Sessions whose entries have all expired are removed. */
export async function keepWarmFamily(
  { shared }: Pick<Log, 'shared'>,
  { root, session }: FamilyMember,
  entries: readonly SharedEntry[],
  at: Timestamp,
): Promise<void> {
  if (shared === undefined || entries.length === 0) return;
  const now = milliseconds(at);
  const stays = (one: { readonly session: SessionId; readonly entries: readonly SharedEntry[] }): boolean =>
    one.session !== session && one.entries.some((entry) => isWarmAt(entry, now));
  try {
    const others = decodeWarmFamilies((await shared.get(NAME)) ?? '').filter(stays);
    await shared.put(NAME, encodeWarmFamilies([...others, { root, session, entries }].slice(-MAX_SESSIONS)));
  } catch {
    // Without the index, the first call of a fork is forecast without the entries of its siblings. The forecast cost is
    // then too high, but never too low.
  }
}
