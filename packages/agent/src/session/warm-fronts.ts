// What other sessions of the same store left warm of a front. The index is derived: it is read when an epoch opens, and what was found
// is recorded with the epoch (L2), so that nothing depends on the index afterwards (L9).

import type { Digest, EpochOpened, FrontEntry, Log, Timestamp, WarmFront } from '@tidemark/log';
import { canonicalText, decodeWarmFronts, digest, encodeWarmFronts, milliseconds } from '@tidemark/log';
import { isWarmAt } from '@tidemark/context';
import { newHash } from './node-hash.ts';

const NAME = 'warm-fronts';

/** Fronts in the index, and entries of each. */
const MOST = { fronts: 32, entries: 8 } as const;

/** What of an epoch its front depends on. */
export type FrontOf = Pick<EpochOpened, 'provider' | 'model' | 'layers' | 'tools'>;

/** The name of a front in the cache of an account. */
export function frontName({ provider, model, layers, tools }: FrontOf, account: string): Digest {
  const parts = [provider, account, model, layers.map((one) => one.digest), tools.map((one) => one.digest)];
  return digest(newHash().update(canonicalText(parts)).hex());
}

/** The entries of a front that are alive; none where the store keeps no index, or none that can be read. */
export async function readWarmFront(
  { shared }: Pick<Log, 'shared'>,
  front: Digest,
  at: Timestamp,
): Promise<readonly FrontEntry[]> {
  const fronts = decodeWarmFronts((await shared?.get(NAME)) ?? '');
  const now = milliseconds(at);
  return (fronts.find((one) => one.front === front)?.entries ?? []).filter((entry) => isWarmAt(entry, now));
}

/** Adds a front to the index, in the place of what it said of this one. Fronts of which nothing is alive leave it. */
export async function keepWarmFront(
  { shared }: Pick<Log, 'shared'>,
  front: Digest,
  entries: readonly FrontEntry[],
  at: Timestamp,
): Promise<void> {
  if (shared === undefined || entries.length === 0) return;
  const now = milliseconds(at);
  const alive = ({ entries: held }: WarmFront): boolean => held.some((entry) => isWarmAt(entry, now));
  try {
    const fronts = decodeWarmFronts((await shared.get(NAME)) ?? '').filter((one) => one.front !== front && alive(one));
    const kept = [...fronts, { front, entries: entries.slice(-MOST.entries) }].slice(-MOST.fronts);
    await shared.put(NAME, encodeWarmFronts(kept));
  } catch {
    // Without the index a first call is forecast as a cold one: too dear, never too cheap.
  }
}
