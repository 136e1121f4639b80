// `tidemark resume`: continues a turn that was cut off, interrupted, limited or failed.

import { defined } from '@tidemark/core';
import { AgentError } from '@tidemark/agent';
import type { Log, SessionId } from '@tidemark/log';

import type { Command, CommandContext, CommandOutcome } from '../frame/command.ts';
import type { AgentFlags } from '../arguments/agent-flags.ts';
import { declareAgentFlags } from '../arguments/agent-flags.ts';
import { namedSession, newestSession } from '../arguments/choose-session.ts';
import { CliError } from '../frame/failure.ts';
import type { SessionFlags } from '../arguments/session-argument.ts';
import { declareSession, optionalSession } from '../arguments/session-argument.ts';
import { takeTurn } from '../turns/take-turn.ts';

/** Command `tidemark resume`, which continues a turn that was cut off, interrupted, limited or failed. */
export const resume: Command = {
  name: 'resume',
  summary: 'continue a turn that was cut off, interrupted, failed or stopped at a limit; finished work is not repeated',
  examples: [
    ['tidemark resume', 'the newest session of this folder'],
    ['tidemark resume <session>', 'that session, in its own folder'],
    ['tidemark resume --max-cost 1', 'with a new cost limit'],
  ],
  declare: (command, run) =>
    void declareAgentFlags(declareSession(command, 'the newest session of this folder')).action(
      (session: string | undefined, options: ResumeFlags) => run((context) => goOn(session, options, context)),
    ),
};

interface ResumeFlags extends AgentFlags, SessionFlags {}

async function goOn(name: string | undefined, flags: ResumeFlags, context: CommandContext): Promise<CommandOutcome> {
  // A skill can only be loaded with a new prompt, and a resumed turn takes no prompt.
  if (name?.startsWith('/skill') === true)
    throw new CliError('cli/usage', 'a resumed turn takes no prompt', `use \`tidemark run --continue "${name} …"\``);
  const store = await context.store();
  const named = await optionalSession(name, flags, context);
  const session = named === undefined ? await newestSession(store, context.folder) : await namedSession(store, named);
  // This check must come first. Otherwise a fork for another model is created, and then the turn is refused.
  if (flags.model !== undefined || flags.provider !== undefined) await requireResumable(store, session.id);
  // The first of these that has a compaction policy applies: the command line, the turn, the settings.
  const { compaction } = session;
  const kept = { ...defined({ compaction }), ...flags };
  return takeTurn({ flags: kept, session, resumes: true, begin: (live) => live.resume() }, context);
}

async function requireResumable(store: Log, session: SessionId): Promise<void> {
  let over = true;
  for await (const { kind, data } of store.read(session)) {
    if (kind === 'turn.started' || kind === 'turn.resumed') over = false;
    if (kind === 'turn.ended') over = data.outcome === 'completed';
  }
  if (!over) return;
  const message = `session ${session} has nothing to resume: its last turn is complete`;
  throw new AgentError('agent/nothing-to-resume', message);
}
