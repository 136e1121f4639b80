// One session that was named, or each of the store, newest first. What cannot be read is told on stderr and left out, unless
// it was named.

import { AgentError } from '@tidemark/agent';
import type { SessionId } from '@tidemark/log';
import { LogError } from '@tidemark/log';

import type { CommandContext } from '../frame/command.ts';
import { withStyle } from '../frame/shown.ts';

/** Does it for each. @throws what `take` throws for the session that was named. */
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

/** Damage, or a session of another version: the others can still be told of. */
export function isOfSession(error: unknown): error is Error {
  return error instanceof LogError || (error instanceof AgentError && error.sort === 'refused');
}

function leaveOut(session: string, reason: string, { output }: CommandContext): void {
  output.note([withStyle('yellow', 'left out'), `: ${session}: ${reason}; see \`tidemark doctor\``]);
}
