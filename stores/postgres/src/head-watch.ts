// Head watch: tells when sessions have new records. One call for all watched sessions asks the database a few times a
// second. An append sends no message through the database, because `NOTIFY` takes a lock over all commits.

import type { AbortSignalLike, SessionId } from '@tidemark/log';

import type { TenantSessions } from './read-records.ts';
import { headsOf } from './read-records.ts';

/** Watches the heads of sessions. */
export interface HeadWatch {
  /** Resolves when the session has another length than the given one, or when the signal aborts. */
  change(session: SessionId, length: number, signal: AbortSignalLike): Promise<void>;
  /** Tells the watch that this process has appended to a session. */
  learn(session: SessionId): void;
}

/** Time between two questions, in milliseconds. */
const LOOK_MS = 100;

interface Waiting {
  readonly session: SessionId;
  readonly length: number;
  readonly wake: () => void;
}

/** Creates the watch of one tenant. It asks only while somebody waits. */
export function createHeadWatch(sessions: TenantSessions): HeadWatch {
  const waiting = new Set<Waiting>();
  let timer: NodeJS.Timeout | undefined;
  const look = async (): Promise<void> => {
    try {
      const names = [...new Set(Array.from(waiting, ({ session }) => session))];
      const heads = new Map((await headsOf(sessions, names)).map(({ session, length }) => [session, length]));
      for (const one of waiting) if (heads.get(one.session) !== one.length) one.wake();
    } catch {
      // The reader finds the reason when it reads.
      for (const one of waiting) one.wake();
    }
    timer = undefined;
    plan();
  };
  const plan = (): void => {
    if (waiting.size > 0) timer ??= setTimeout(() => void look(), LOOK_MS);
  };
  return {
    change: (session, length, signal) =>
      new Promise((resolve) => {
        const one: Waiting = {
          session,
          length,
          wake() {
            waiting.delete(one);
            signal.removeEventListener('abort', one.wake);
            resolve();
          },
        };
        waiting.add(one);
        signal.addEventListener('abort', one.wake);
        if (signal.aborted) one.wake();
        plan();
      }),
    learn(session) {
      for (const one of waiting) if (one.session === session) one.wake();
    },
  };
}
