// Events that the writing process appends at each position.

import { callId, sessionId, timestamp } from '@tidemark/log';
import type { Event, EventOf, SessionId } from '@tidemark/log';

const AT = timestamp('2026-11-20T12:00:00.000Z');

/** Returns the event at position 0, `session.created`. */
export function beginningEvent(session: SessionId): EventOf<'session.created'> {
  return { kind: 'session.created', at: AT, data: { id: session, root: session, workspace: '/work' } };
}

/**
 * Returns the event at a position above 0. The kinds repeat every three positions: a prompt, an answer, a tool result.
 */
export function eventAt(session: SessionId, position: number): Event {
  const text = `${session} ${position} ${'~'.repeat((position * 37) % 700)}`;
  const parts = [{ type: 'text', text }] as const;
  switch (position % 3) {
    case 0:
      return { kind: 'prompt.given', at: AT, data: { parts, presenter: 'crash' } };
    case 1:
      return {
        kind: 'answer.received',
        at: AT,
        data: {
          step: position,
          stream: 'main',
          provider: 'none',
          model: 'none',
          parts,
          stop: 'end',
          truncated: 'no',
          usage: { answer: position },
        },
      };
    default:
      return { kind: 'tool.returned', at: AT, data: { call: callId(`call-${position}`), parts } };
  }
}

/** Returns the event that the log of this session contains at a position. */
export function expectedAt(session: string, position: number): Event {
  const id = sessionId(session);
  return position === 0 ? beginningEvent(id) : eventAt(id, position);
}
