// Lists the sessions for many clients at once. A list of 10,000 sessions reads the beginning of 10,000 files.

import type { Log } from '@tidemark/log';

/** Answer of a store that lists its sessions. */
export type SharedList = Awaited<ReturnType<Log['sessions']>>;

/** Lists the sessions of a store, or only those of a folder. */
export type ListSessions = (workspace: string | undefined) => Promise<SharedList>;

/**
 * Returns a function that lists sessions. Callers that come while a list is made share the next list. It begins after
 * they came, so it contains every session that existed then.
 */
export function shareListing(log: Pick<Log, 'sessions'>): ListSessions {
  const running = new Map<string | undefined, Promise<unknown>>();
  const waiting = new Map<string | undefined, Promise<SharedList>>();
  const list = (workspace: string | undefined): Promise<SharedList> => {
    const made = log.sessions(workspace === undefined ? {} : { workspace });
    const settled = made.then(
      () => running.delete(workspace),
      () => running.delete(workspace),
    );
    running.set(workspace, settled);
    return made;
  };
  return (workspace) => {
    const before = running.get(workspace);
    if (before === undefined) return list(workspace);
    const next =
      waiting.get(workspace) ??
      before.then(() => {
        waiting.delete(workspace);
        return list(workspace);
      });
    waiting.set(workspace, next);
    return next;
  };
}
