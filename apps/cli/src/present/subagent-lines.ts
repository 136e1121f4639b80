// Collects the subagents of a session from its log, with the result of each one.

import { defined } from '@tidemark/core';
import type { AgentChosen, Recorded, SubagentEnded, SubagentStarted } from '@tidemark/log';

import { dollars } from '../frame/numbers.ts';

/**
 * One subagent. The status `null` means that the subagent is still running or was interrupted. If it was interrupted,
 * the next turn will end it.
 */
export interface ShownSubagent extends Pick<SubagentStarted, 'child' | 'role' | 'task' | 'model'> {
  /** Name of the own agent that it is. */
  readonly agent?: string;
  /** Names and patterns of the tools that its own agent may use. Absent if it may use all of the session. */
  readonly tools?: readonly string[];
  readonly status: SubagentEnded['status'] | null;
  readonly cost?: string;
}

/** Returns the list of subagents after one more record. */
export function withSubagent(shown: readonly ShownSubagent[], record: Recorded): readonly ShownSubagent[] {
  if (record.kind === 'subagent.started') {
    const { child, role, task, agent, model } = record.data;
    const named = defined({ agent: agent?.name, tools: agent?.tools, model });
    return [...shown, { child, role, task, status: null, ...named }];
  }
  if (record.kind !== 'subagent.ended') return shown;
  const { child, status, cost } = record.data;
  return shown.map((one) => (one.child === child ? { ...one, status, ...defined({ cost }) } : one));
}

/**
 * Formats a subagent as a line: `subagent 3f2a… (reviewer): completed, $0.0123`. The parentheses also contain its own
 * agent, its model if that is another one than the session's, and its tools.
 */
export function subagentLine(subagent: ShownSubagent): string {
  const { child, status, cost } = subagent;
  const price = cost === undefined ? '' : `, ${dollars(cost)}`;
  return `subagent ${child} (${describe(subagent)}): ${status ?? 'not ended'}${price}`;
}

/** Formats the start of a subagent as a line: `subagent reviewer (claude-haiku-4-5): running as session 3f2a…`. */
export function startLine({ child, role, agent, model }: SubagentStarted): string {
  const named = [agent === undefined || agent.name === role ? undefined : `agent ${agent.name}`, model];
  const as = named.filter((part) => part !== undefined).join(', ');
  const name = role === 'subagent' ? role : `subagent ${role}`;
  return `${name}${as === '' ? '' : ` (${as})`}: running as session ${child}`;
}

/**
 * Formats a subagent for a person who follows it: `subagent reviewer: completed, $0.0123 · find the wrong tax`. The
 * session of the subagent is not named. Without a status the subagent has just started.
 */
export function taskLine(
  subagent: Omit<ShownSubagent, 'status'> & { readonly status?: ShownSubagent['status'] },
): string {
  const { role, agent, model, status, cost, task } = subagent;
  const as = [agent === role ? undefined : agent && `agent ${agent}`, model].filter((part) => part !== undefined);
  const name = `${role === 'subagent' ? role : `subagent ${role}`}${as.length === 0 ? '' : ` (${as.join(', ')})`}`;
  const end = status === undefined ? 'started' : (status ?? 'not ended');
  return `${name}: ${end}${cost === undefined ? '' : `, ${dollars(cost)}`} · ${firstLine(task)}`;
}

const LONGEST_TASK = 200;

function firstLine(text: string): string {
  const [line = ''] = text.trim().split('\n', 1);
  return line.length <= LONGEST_TASK ? line : `${line.slice(0, LONGEST_TASK)}…`;
}

/** Formats the choice of an own agent for a session: `agent reviewer, with the tools read, grep`. */
export function chosenLine({ name, tools }: AgentChosen): string {
  return `agent ${name}${tools === undefined ? '' : `, with the tools ${tools.join(', ') || 'none'}`}`;
}

/** Describes a subagent: `checker, agent reviewer, claude-haiku-4-5 with a front of its own, tools read, grep`. */
function describe({ role, agent, model, tools }: ShownSubagent): string {
  const parts = [
    role,
    agent === undefined || agent === role ? undefined : `agent ${agent}`,
    model === undefined ? undefined : `${model} with a front of its own`,
    tools === undefined ? undefined : `tools ${tools.join(', ') || 'none'}`,
  ];
  return parts.filter((part) => part !== undefined).join(', ');
}
