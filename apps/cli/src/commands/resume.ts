// `tidemark resume`: goes on with the turn that was cut, interrupted, limited or failed.

import type { Command, CommandContext, Outcome } from '../command.ts';
import type { AgentFlags } from '../agent-flags.ts';
import { declareAgentFlags } from '../agent-flags.ts';
import { namedSession, newestSession } from '../choose-session.ts';
import { sessionArgument } from '../session-argument.ts';
import { takeTurn } from '../take-turn.ts';

/** Goes on with a turn. */
export const resume: Command = {
  name: 'resume',
  summary: 'go on with the turn that was cut, interrupted, limited or failed; what was done is not done again',
  examples: [
    ['tidemark resume', 'in the newest session of this folder'],
    ['tidemark resume <session>', 'in that session, in its own folder'],
    ['tidemark resume --max-cost 1', 'with a limit of its own'],
  ],
  declare: (command, run) =>
    void declareAgentFlags(command.argument('[session]', 'the session')).action(
      (session: string | undefined, options: AgentFlags) => run((context) => goOn(session, options, context)),
    ),
};

async function goOn(name: string | undefined, flags: AgentFlags, context: CommandContext): Promise<Outcome> {
  const store = await context.store();
  const session =
    name === undefined ? await newestSession(store, context.folder) : await namedSession(store, sessionArgument(name));
  return takeTurn({ flags, session, begin: (live) => live.resume() }, context);
}
