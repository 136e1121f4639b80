// Finds the edits of the sent history: the call at which each edit took effect, and the number of calls after which a
// pruning has saved its own cost.

import type { Log, SessionId } from '@tidemark/log';

/** One edit of the history. */
export interface Edit {
  readonly by: 'pruning' | 'compaction';
  /** Index of the first main-stream call after the edit, counted from 0. */
  readonly call: number;
  /** Number of calls after which a pruning has saved the cost of its break, as the log records it. */
  readonly breakEven?: number;
}

/** Returns all edits of a session, in order. */
export async function editsOf(log: Log, session: SessionId): Promise<readonly Edit[]> {
  const edits: Edit[] = [];
  let call = 0;
  for await (const { kind, data } of log.read(session)) {
    if (kind === 'request.prepared' && data.stream === 'main') call += 1;
    if (kind === 'history.pruned') edits.push({ by: 'pruning', call, breakEven: data.breakEven ?? 0 });
    if (kind === 'history.compacted') edits.push({ by: 'compaction', call });
  }
  return edits;
}

/**
 * Returns the prunings that cost more than they saved before a later compaction, or before the session ended after
 * `calls` calls.
 */
export function unpaidOf(edits: readonly Edit[], calls: number): readonly Edit[] {
  return edits.filter(({ by, call, breakEven = 0 }) => {
    const until = edits.find((other) => other.by === 'compaction' && other.call > call)?.call ?? calls;
    return by === 'pruning' && until - call < breakEven;
  });
}
