// States of running sessions that are not in their logs: the worker that holds a session stores its state, and servers of
// any machine read it.

import type { SessionId } from '@tidemark/log';

import type { TenantSession } from './command-queue.ts';
import type { Database } from './database.ts';

/** States of all sessions in a database. A state is a text in JSON that only its writers and readers know. */
export interface LiveStates {
  /** Stores the state of a session that has a writer, or removes it. A session without a writer gets no state. */
  put(at: TenantSession, state: string | undefined): Promise<void>;
  /** Returns the states of those sessions whose writer still holds them. */
  read(tenant: string, sessions: readonly SessionId[]): Promise<ReadonlyMap<SessionId, string>>;
  /** Removes the states of all sessions that have lost their writer. */
  forget(): Promise<void>;
}

/** Opens the states of a database. */
export function createLiveStates(database: Database): LiveStates {
  return {
    async put({ tenant, session }, state) {
      await database.call('put_live_state', [tenant, session, state ?? null]);
    },
    async read(tenant, sessions) {
      if (sessions.length === 0) return new Map();
      const values = [tenant, sessions];
      const rows = await database.call<{ session: SessionId; state: string }>('live_states_of', values);
      return new Map(rows.map(({ session, state }) => [session, state]));
    },
    async forget() {
      await database.call('forget_live_states', []);
    },
  };
}
