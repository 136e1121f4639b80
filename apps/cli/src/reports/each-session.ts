// Visits the session that the user named, or every session of the store, newest first. If a session cannot be read, it
// is omitted and reported on stderr. If the user named this session, the error is thrown instead.

import { AgentError } from '@tidemark/agent';
import type { SessionId } from '@tidemark/log';
import { LogError } from '@tidemark/log';

import type { CommandContext } from '../frame/command.ts';
import { withStyle } from '../frame/shown.ts';

/**
 * Calls `take` for the named session, or for each session of the store.
 *
 * @throws any error of `take` for the named session. For other sessions, only errors that do not concern a single
 * session.
 */
export async function eachSession(
  named: SessionId | undefined,
  context: CommandContext,
  take: (session: SessionId) => Promise<void>,
): Promise<void> {
  if (named !== undefined) return take(named);
  const { sessions, unreadable } = await (await context.store()).sessions();
  for (const { session, reason } of unreadable) leaveOut(session, reason, context);
  for (const { session } of sessions) {
    try {
      await take(session);
    } catch (error) {
      if (!isOfSession(error)) throw error;
      leaveOut(session, error.message, context);
    }
  }
}

/**
 * Returns true for an error that concerns a single session, such as damage or another version. In that case the other
 * sessions can still be visited.
 */
export function isOfSession(error: unknown): error is Error {
  return error instanceof LogError || (error instanceof AgentError && error.sort === 'refused');
}

function leaveOut(session: string, reason: string, { output }: CommandContext): void {
  output.note([withStyle('yellow', 'skipped'), `: ${session}: ${reason}; see \`tidemark doctor\``]);
}
