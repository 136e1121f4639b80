// Index of the fronts that sessions left in the caches of providers. The index is derived from logs, so unreadable text
// counts as an empty index (L9).

import { z } from 'zod';
import type { FrontEntry } from '../events/context.ts';
import type { Digest } from '../ids.ts';
import { frontEntry } from './revision-1/context.ts';
import { digest } from './revision-1/decoder.ts';

/** A front, and the cache entries that end in it. */
export interface WarmFront {
  /** Digest of everything that the front depends on: provider, account, model, layers and tools. */
  readonly front: Digest;
  readonly entries: readonly FrontEntry[];
}

const REVISION = 1;

const index = z.object({
  revision: z.literal(REVISION),
  fronts: z.array(z.object({ front: digest, entries: z.array(frontEntry) })),
});

/** Encodes the index as text that `decodeWarmFronts` can read. */
export function encodeWarmFronts(fronts: readonly WarmFront[]): string {
  return JSON.stringify({ revision: REVISION, fronts });
}

/** Returns the fronts of an index, or an empty list if the text is not an index of this revision. */
export function decodeWarmFronts(text: string): readonly WarmFront[] {
  try {
    const parsed = index.safeParse(JSON.parse(text));
    return parsed.success ? parsed.data.fronts : [];
  } catch {
    return [];
  }
}
