// Continues the turns that the process before this one did not end.

import { answerOf, RequestError } from '@tidemark/client';
import type { SessionClient } from '@tidemark/client';
import { setTimeout as pause } from 'node:timers/promises';

/** Number of sessions that are checked, newest first. */
const CHECKED = 100;
/** Pause before the next try if the old process still has a session open, in milliseconds. */
const RETRY_MS = 500;

/**
 * Resumes each turn whose end is not in the log. A turn that a person interrupted has an end, so it is not resumed. A
 * session that another process still has open is tried again.
 */
export async function resumeTurns(client: SessionClient, signal: AbortSignal): Promise<void> {
  const { sessions } = await answerOf(client.GET('/sessions', { params: { query: { limit: CHECKED } } }));
  await Promise.all(sessions.map(({ session }) => resumeTurn(client, session, signal)));
}

async function resumeTurn(client: SessionClient, session: string, signal: AbortSignal): Promise<void> {
  const params = { path: { session } };
  while (!signal.aborted) {
    const { turn, running } = await answerOf(client.GET('/sessions/{session}', { params }));
    if (running || turn?.open !== true) return;
    try {
      await answerOf(client.POST('/sessions/{session}/resume', { params }));
      return;
    } catch (error) {
      if (!(error instanceof RequestError && error.code === 'log/locked')) throw error;
      await pause(RETRY_MS);
    }
  }
}
