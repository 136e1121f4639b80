// Tool `agent`: runs a task in a subagent. The tool itself changes nothing. Each tool call of the subagent is judged
// separately.

import { defined } from '@tidemark/core';
import type { JsonValue } from '@tidemark/model';
import { isBlank } from '@tidemark/model';
import type { SubagentOrder } from '../ports/subagent.ts';
import { AGENT } from '../ports/subagent.ts';
import type { Tool, ToolContext, ToolOutput, ToolProblem } from '../ports/tool.ts';

const DESCRIPTION =
  'Has a subagent do a task: an agent with the same tools, which sees nothing of this conversation but the task. Its last words are the result. Several calls in one answer work side by side. For work of which only the outcome counts: a search, a review, a survey of many files.';

const SCHEMA: JsonValue = {
  type: 'object',
  properties: {
    role: { type: 'string', description: 'What it is in this work, in a word or two: reviewer, researcher' },
    task: { type: 'string', description: 'All that it needs to know, and what it shall report' },
    readOnly: { type: 'boolean', description: 'It may look, and change nothing' },
  },
  required: ['task'],
  additionalProperties: false,
};

const NAMES: readonly string[] = ['role', 'task', 'readOnly'];

/**
 * @returns the tool `agent`, of effect `none`. Calls of one answer run in parallel, and a call that a crash interrupted
 *   is resumed. In a session without subagents each call is refused.
 */
export function createAgentTool(): Tool {
  return {
    name: AGENT,
    description: DESCRIPTION,
    schema: SCHEMA,
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
  return { text: 'This session starts no subagents: do the work yourself.', failed: true };
}

function orderIn(input: unknown): SubagentOrder | ToolProblem {
  const given: Readonly<Record<string, unknown>> = typeof input === 'object' && input !== null ? { ...input } : {};
  const unknown = Object.keys(given).find((name) => !NAMES.includes(name));
  if (unknown !== undefined) return { problem: `${AGENT}: there is no ${unknown}. It takes ${NAMES.join(', ')}.` };
  const { task, role, readOnly } = given;
  if (typeof task !== 'string' || isBlank(task))
    return { problem: `${AGENT}: task is missing. Say what is to be done.` };
  if (role !== undefined && typeof role !== 'string') return { problem: `${AGENT}: role is a text.` };
  if (readOnly !== undefined && typeof readOnly !== 'boolean')
    return { problem: `${AGENT}: readOnly is true or false.` };
  return { task, ...(role !== undefined && !isBlank(role) && { role }), ...defined({ readOnly }) };
}

function titleOf({ role, task }: SubagentOrder): string {
  const [line = ''] = task.trim().split('\n', 1);
  return `${AGENT} ${role === undefined ? '' : `(${role}) `}${line}`;
}
