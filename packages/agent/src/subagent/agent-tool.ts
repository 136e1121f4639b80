// Tool `agent`: runs a task in a subagent. The tool itself changes nothing. The permission of each tool call of the
// subagent is decided separately.

import { defined } from '@tidemark/core';
import type { JsonValue } from '@tidemark/model';
import { isBlank } from '@tidemark/model';
import { nearestName } from '../nearest-name.ts';
import type { SubagentOrder } from '../ports/subagent.ts';
import { AGENT } from '../ports/subagent.ts';
import type { Tool, ToolContext, ToolOutput, ToolProblem } from '../ports/tool.ts';

const DESCRIPTION =
  'Starts a subagent for a task: an agent with the same tools that sees only the task, not this conversation. Returns its last message. Several calls in one answer run in parallel. Use it if only the outcome matters: a search, a review, a survey of many files. Do small tasks yourself.';

const SCHEMA: JsonValue = {
  type: 'object',
  properties: {
    agent: { type: 'string', description: 'Name of one of the own agents listed in a note' },
    role: { type: 'string', description: 'Its role in a word or two: reviewer, researcher' },
    task: { type: 'string', description: 'Everything that it needs to know, and what to report' },
    readOnly: { type: 'boolean', description: 'It can read but not change anything' },
  },
  required: ['task'],
  additionalProperties: false,
};

const NAMES: readonly string[] = ['agent', 'role', 'task', 'readOnly'];

/**
 * Creates the tool `agent`, with the effect `none`. Calls of one answer run in parallel, and a call that a crash
 * interrupted is resumed. In a session without subagents each call is refused.
 */
export function createAgentTool(): Tool {
  return {
    name: AGENT,
    description: DESCRIPTION,
    schema: SCHEMA,
    earlier: [
      '27f8b84a9f744997f7408c59816a56aa3a460438844fe7152aa777df53c31314',
      '15eca2b17d750a10152e62034813c749fbd0bb5fb72a084469b14df852246c21',
    ],
    effect: 'none',
    truncate: 'end',
    read(input) {
      const order = orderIn(input);
      if ('problem' in order) return order;
      return { title: titleOf(order), run: (context) => run(order, context) };
    },
  };
}

async function run(order: SubagentOrder, { delegate }: ToolContext): Promise<ToolOutput> {
  if (delegate !== undefined) return delegate(order);
  return { text: 'This session cannot start subagents: do the work yourself.', failed: true };
}

function orderIn(input: unknown): SubagentOrder | ToolProblem {
  const given: Readonly<Record<string, unknown>> = typeof input === 'object' && input !== null ? { ...input } : {};
  const unknown = Object.keys(given).find((name) => !NAMES.includes(name));
  if (unknown !== undefined) {
    const nearest = nearestName(unknown, NAMES);
    const hint = nearest === undefined ? '' : ` Did you mean \`${nearest}\`?`;
    return { problem: `There is no argument \`${unknown}\`.${hint} The arguments are ${NAMES.join(', ')}.` };
  }
  const { task, agent, role, readOnly } = given;
  if (typeof task !== 'string' || isBlank(task))
    return { problem: '`task` must be a string that is not blank: describe the work to do, and what to report.' };
  if (agent !== undefined && (typeof agent !== 'string' || isBlank(agent)))
    return { problem: '`agent` must be the name of an own agent, such as "reviewer". Pass a string, or omit it.' };
  if (role !== undefined && typeof role !== 'string')
    return { problem: '`role` must be a string, such as "reviewer". Pass a string, or omit it.' };
  if (readOnly !== undefined && typeof readOnly !== 'boolean')
    return { problem: '`readOnly` must be true or false, without quotes. Pass one of them, or omit it.' };
  return { task, ...(role !== undefined && !isBlank(role) && { role }), ...defined({ agent, readOnly }) };
}

function titleOf({ agent, role = agent, task }: SubagentOrder): string {
  const [line = ''] = task.trim().split('\n', 1);
  return `${AGENT} ${role === undefined ? '' : `(${role}) `}${line}`;
}
