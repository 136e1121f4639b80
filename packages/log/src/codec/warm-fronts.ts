// The index of fronts that sessions left in the caches of providers. It is derived from logs: what cannot be read is no index (L9).

import { z } from 'zod';
import type { FrontEntry } from '../events/context.ts';
import type { Digest } from '../ids.ts';
import { frontEntry } from './revision-1/context.ts';
import { digest } from './revision-1/decoder.ts';

/** A front, and the entries that end in it. */
export interface WarmFront {
  /** Digest of all that the front depends on: provider, account, model, layers and tools. */
  readonly front: Digest;
  readonly entries: readonly FrontEntry[];
}

const REVISION = 1;

const index = z.object({
  revision: z.literal(REVISION),
  fronts: z.array(z.object({ front: digest, entries: z.array(frontEntry) })),
});

/** The index as text. */
export function encodeWarmFronts(fronts: readonly WarmFront[]): string {
  return JSON.stringify({ revision: REVISION, fronts });
}

/** The fronts of an index; none of a text that is no index of this revision. */
export function decodeWarmFronts(text: string): readonly WarmFront[] {
  try {
    const parsed = index.safeParse(JSON.parse(text));
    return parsed.success ? parsed.data.fronts : [];
  } catch {
    return [];
  }
}
