// Small sessions for tests, made of the events of the random ones.

import type { SessionId } from '@tidemark/log';
import { sessionId } from '@tidemark/log';
import type { RandomEvent, RandomSessions } from './random-sessions.ts';

/** Opens an epoch with a priced model. */
export const epoch: Extract<RandomEvent, { type: 'epoch' }> = { type: 'epoch', model: 0, cause: 0, also: false };

/** Returns a call that reads and writes these tokens, as forecast. */
export function call(
  read: number,
  written: number,
  more: Partial<Extract<RandomEvent, { type: 'call' }>> = {},
): Extract<RandomEvent, { type: 'call' }> {
  return {
    type: 'call',
    side: false,
    alone: false,
    size: undefined,
    marked: false,
    forecast: [read, written, 0, written],
    end: 'received',
    usage: [0, read, written],
    cost: 1_000_000_000,
    miss: undefined,
    seconds: 2,
    ...more,
  };
}

/** Returns a request without an end, of which these tokens are expected. */
export function request(size: number): RandomEvent {
  return { type: 'request', side: false, alone: false, size, marked: true, forecast: [0, size, 0, size] };
}

/** Begins a session with these events. Returns its id. */
export async function beginSession(sessions: RandomSessions, events: readonly RandomEvent[]): Promise<SessionId> {
  await sessions.perform({ type: 'session', workspace: 0, startedBy: undefined, imported: false });
  await sessions.perform({ type: 'events', of: sessions.ids.length - 1, events });
  return sessions.ids.at(-1) ?? sessionId('none');
}
