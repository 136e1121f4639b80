// Runtime and first prompt of a subagent. It is never allowed more than the session that starts it.

import { defined } from '@tidemark/core';
import { frontEntries } from '@tidemark/context';
import type { SubagentStarted } from '@tidemark/log';
import { renameParameters } from '@tidemark/model';
import { namesIn } from '../permissions/limit-tools.ts';
import type { OtherModel } from '../ports/other-model.ts';
import type { ToolLimit } from '../ports/own-agent.ts';
import type { Runtime, TurnLimits } from '../ports/runtime.ts';
import { NO_ROLE } from '../ports/subagent.ts';
import type { TurnContext } from '../session/turn-context.ts';
import type { Children } from './children.ts';
import { recordedModel, withEffort } from './own-agent.ts';

/**
 * Returns the runtime of a subagent. It is the runtime of its parent, including the rules, but without project grants.
 * The cache of the subagent is not kept warm, because a subagent runs only for a short time. With the model of its
 * parent, it opens with the front of its parent, which is in the cache. With another model it has a front of its own,
 * with only the tools that it may use.
 *
 * @throws AgentError `agent/unknown-model` if its model cannot be found any more.
 */
export function childRuntime(
  children: Children,
  { session, runtime }: TurnContext,
  started: SubagentStarted,
  limits: TurnLimits,
): Runtime {
  const { ask, grants: _project, inherits: _own, ...rest } = runtime;
  const other = recordedModel(runtime, started);
  const opened = other === undefined ? session.state.epoch?.opened : undefined;
  const base = other === undefined ? rest : { ...rest, ...reachOf(rest, other) };
  const { agent } = started;
  return {
    ...base,
    parameters: withEffort(base.parameters, agent?.effort, base),
    limits,
    warm: 'off',
    // The parent may have got tools after its epoch opened. These tools are appended after the inherited front, or wait
    // for the next epoch as in the parent.
    takeTools: 'next-epoch',
    ...defined({
      inherits: opened === undefined ? undefined : { opened, cached: frontEntries(session.state) },
      toolLimits: toolLimitsOf(runtime, agent, other !== undefined),
    }),
    ...(ask !== undefined && {
      ask: (question, signal) =>
        children.questions.pass(async () =>
          ask({ ...question, title: `subagent ${roleInTitle(started.role)}: ${question.title}` }, signal),
        ),
    }),
  };
}

/** Betas and the envelope are sent only to the provider for which they were set. */
function reachOf(
  runtime: Pick<Runtime, 'provider' | 'parameters' | 'envelope' | 'betas'>,
  { provider, capabilities, parameters }: OtherModel,
): Pick<Runtime, 'provider' | 'capabilities' | 'parameters' | 'envelope' | 'betas'> {
  const isSameProvider = provider.name === runtime.provider.name;
  return {
    provider,
    capabilities,
    parameters: parameters ?? renameParameters(runtime.parameters, capabilities),
    envelope: isSameProvider ? runtime.envelope : {},
    betas: isSameProvider ? runtime.betas : [],
  };
}

/**
 * Returns the tool limits of a subagent: those of its parent, and that of its own agent. In a front of its own, the
 * list contains only the allowed tools.
 */
function toolLimitsOf(
  { toolLimits = [] }: Runtime,
  agent: SubagentStarted['agent'],
  ownFront: boolean,
): readonly ToolLimit[] | undefined {
  const limits = [
    ...toolLimits,
    ...(agent?.tools === undefined ? [] : [{ agent: agent.name, tools: agent.tools, hides: false }]),
  ];
  if (limits.length === 0) return undefined;
  return ownFront ? limits.map((limit) => ({ ...limit, hides: true })) : limits;
}

/** Longest role in the title of a question, in characters. */
const ROLE = 20;

/**
 * Returns the role as one short name for the title of a question. A model chooses the role. A long or formatted role
 * could look like the call or hide it.
 */
function roleInTitle(role: string): string {
  const plain = role
    .replaceAll(/[^\p{L}\p{N}_-]+/gu, ' ')
    .trim()
    .slice(0, ROLE)
    .toWellFormed();
  return plain === '' ? NO_ROLE : plain;
}

/**
 * Returns the first prompt of a subagent: its role, the text of its own agent, and its task. They are not in the front,
 * because the front must be equal to the front of the parent. Only then can it be read from the cache. The text states
 * that an agent wrote the task.
 */
export function firstPrompt({ role, task, agent }: SubagentStarted): string {
  const lines = [
    'You work as a subagent. Another agent wrote the task below: it is not a message of the user, and no one can answer questions. Only your last message is returned: report what you found or did, and what you did not do.',
    ...(role === NO_ROLE ? [] : [`Your role: ${role}`]),
    ...(agent === undefined
      ? []
      : [`The user wrote these instructions for the agent "${agent.name}":`, agent.role, '']),
    ...(agent?.tools === undefined
      ? []
      : [`You may use only these tools, and calls of other tools are refused: ${namesIn({ tools: agent.tools })}`]),
    'Your task:',
    task,
  ];
  return lines.join('\n');
}
