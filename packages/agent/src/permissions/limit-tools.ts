// Decides which tools the own agent of a session may use. An own agent can only narrow the tools of its session.

import type { ToolLimit } from '../ports/own-agent.ts';
import type { Runtime } from '../ports/runtime.ts';
import type { Tool } from '../ports/tool.ts';
import { matchStars } from '../rules/name-patterns.ts';

/**
 * Tools that every agent may use. They read back what the context of the session left out (L6), and they reach nothing
 * else.
 */
const ALWAYS: readonly string[] = ['output_read', 'history_read', 'history_search'];

type Limited = Pick<Runtime, 'agent' | 'toolLimits' | 'tools'>;

/** Returns the tools that the model is shown. */
export function listedTools(runtime: Limited): readonly Tool[] {
  const hiding = limitsOf(runtime).filter(({ hides }) => hides);
  return hiding.length === 0
    ? runtime.tools
    : runtime.tools.filter((tool) => hiding.every((limit) => allows(limit, tool)));
}

/** Returns the text for the model if the own agent may not use the tool, otherwise `undefined`. */
export function toolRefusal(runtime: Limited, tool: Tool): string | undefined {
  const limit = limitsOf(runtime).find((one) => !allows(one, tool));
  return limit && `The agent "${limit.agent}" may not use the tool "${tool.name}". Its tools are: ${namesIn(limit)}.`;
}

/** Returns the tools of an agent as text: names and patterns. */
export function namesIn({ tools }: Pick<ToolLimit, 'tools'>): string {
  return tools.length === 0 ? 'none' : tools.join(', ');
}

function limitsOf({ agent, toolLimits = [] }: Limited): readonly ToolLimit[] {
  return agent?.tools === undefined
    ? toolLimits
    : [{ agent: agent.name, tools: agent.tools, hides: true }, ...toolLimits];
}

/** A tool that forwards a call is always allowed, because the tool that gets the call is checked. */
function allows({ tools }: ToolLimit, { name, forward }: Tool): boolean {
  return forward !== undefined || ALWAYS.includes(name) || tools.some((pattern) => matchStars(pattern, name));
}
