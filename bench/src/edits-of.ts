// Where a session edited what it had sent: which call that was, and after how many calls it has paid for itself.

import type { Log, SessionId } from '@tidemark/log';

/** One edit of the history. */
export interface Edit {
  readonly by: 'pruning' | 'compaction';
  /** The call of the conversation that was sent first behind it, counted from 0. */
  readonly call: number;
  /** Calls after which a pruning has saved what its break costs, as the log says. */
  readonly breakEven?: number;
}

/** All of a session, in order. */
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

/** The prunings of so many calls that did not pay for themselves before a compaction left them out, or the session ended. */
export function unpaidOf(edits: readonly Edit[], calls: number): readonly Edit[] {
  return edits.filter(({ by, call, breakEven = 0 }) => {
    const until = edits.find((other) => other.by === 'compaction' && other.call > call)?.call ?? calls;
    return by === 'pruning' && until - call < breakEven;
  });
}
