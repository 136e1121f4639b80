// Index of the cache entries that the sessions of one root left in the caches of providers: a session, its forks and
// their forks. The index is derived from logs, so unreadable text counts as an empty index (L9).

import { z } from 'zod';
import type { SharedEntry } from '../events/shared-entry.ts';
import type { SessionId } from '../ids.ts';
import { sharedEntry } from './revision-1/context.ts';
import { sessionId } from './revision-1/decoder.ts';

/** A session, and the entries that it left. */
export interface WarmSession {
  readonly root: SessionId;
  readonly session: SessionId;
  readonly entries: readonly SharedEntry[];
}

const REVISION = 1;

const index = z.object({
  revision: z.literal(REVISION),
  sessions: z.array(z.object({ root: sessionId, session: sessionId, entries: z.array(sharedEntry) })),
});

/** Encodes the index as text that `decodeWarmFamilies` can read. */
export function encodeWarmFamilies(sessions: readonly WarmSession[]): string {
  return JSON.stringify({ revision: REVISION, sessions });
}

/** Returns the sessions of an index, or an empty list if the text is not an index of this revision. */
export function decodeWarmFamilies(text: string): readonly WarmSession[] {
  try {
    const parsed = index.safeParse(JSON.parse(text));
    return parsed.success ? parsed.data.sessions : [];
  } catch {
    return [];
  }
}
