// Sessions of one tenant that workers run, for a server of any machine: commands are stored as rows, and the states of the
// workers are read.

import type { SessionId } from '@tidemark/log';
import type { RemoteSessions, RemoteState } from '@tidemark/server';
import type { CommandQueue, LiveStates } from '@tidemark/store-postgres';

import type { WakeUp } from './wake-up.ts';

/**
 * Creates the sessions of a tenant for its server. A command is stored before a worker is woken, so a wake-up that fails
 * only delays it.
 *
 * @param sentBy Name of the person or program that sends the commands, for the audit trail.
 */
export function createRemoteSessions(
  queue: CommandQueue,
  wakeUp: Pick<WakeUp, 'wake'>,
  states: LiveStates,
  tenant: string,
  sentBy: string,
): RemoteSessions {
  return {
    async run(session, request, signal) {
      const at = { tenant, session };
      const id = await queue.send(at, request, sentBy);
      // Each worker looks for commands that no wake-up has told it about.
      await wakeUp.wake(at).catch(() => undefined);
      return queue.answer(at, id, signal);
    },
    async states(sessions) {
      const found = new Map<SessionId, RemoteState>();
      for (const [session, json] of await states.read(tenant, sessions)) found.set(session, JSON.parse(json));
      return found;
    },
  };
}
