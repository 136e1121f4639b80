// Continues a session with another model in a fork. The original session keeps its own model and its cache.

import { planFork } from '@tidemark/agent';
import type { Agent, AgentSession } from '@tidemark/kit';

import type { AgentFlags } from '../arguments/agent-flags.ts';
import type { ChosenSession } from '../arguments/choose-session.ts';
import type { CommandContext } from '../frame/command.ts';
import { CliError } from '../frame/failure.ts';
import { withStyle } from '../frame/shown.ts';

/**
 * Returns true if the turn needs a fork. This is the case if the agent's model or provider differs from the session's,
 * and `--in-place` is not set.
 */
export function forksFor(
  { capabilities }: Agent,
  { model, provider }: ChosenSession,
  { inPlace }: AgentFlags,
): boolean {
  if (inPlace === true || model === undefined) return false;
  return model !== capabilities.model || provider !== capabilities.provider;
}

/**
 * Forks a session at its end and prints a notice.
 *
 * @throws CliError `cli/refused` when the session ends inside a turn. The fork would then silently omit calls of that
 * turn. Some of these calls may already have taken effect.
 */
export async function forkForModel(
  agent: Agent,
  { id, model }: ChosenSession,
  { output }: CommandContext,
): Promise<AgentSession> {
  const { parent, open } = await planFork(agent.log, id);
  if (open !== undefined)
    throw new CliError(
      'cli/refused',
      `the last turn of ${id} was interrupted, and a fork for another model would lose its open calls`,
      'run `tidemark resume` first, or add `--in-place`',
    );
  const fork = await agent.fork(id);
  const { capabilities } = agent;
  const from = { session: parent.session, position: parent.position };
  if (output.json)
    output.event(
      { type: 'session.forked', session: fork.id, parent: from, cause: 'model', model: capabilities.model },
      () => '',
    );
  else
    output.note([
      withStyle('yellow', 'notice'),
      `: ${capabilities.model} continues in a fork of ${from.session}@${from.position}, which keeps ${model ?? 'its model'} and its cache; \`--in-place\` stays in that session`,
    ]);
  return fork;
}
