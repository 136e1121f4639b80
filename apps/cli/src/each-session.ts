// One session that was named, or each of the store, newest first. What is damaged is told on stderr and left out, unless it
// was named.

import type { SessionId } from '@tidemark/log';
import { LogError } from '@tidemark/log';

import type { CommandContext } from './command.ts';
import { styled } from './shown.ts';

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
      if (!(error instanceof LogError)) throw error;
      leaveOut(session, error.message, context);
    }
  }
}

function leaveOut(session: string, reason: string, { output }: CommandContext): void {
  output.note([styled('yellow', 'left out'), `: ${session}: ${reason}; see \`tidemark doctor\``]);
}
