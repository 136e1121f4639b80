// The tools of an agent: the workspace's, as far as they are wanted, and its author's own.

import { defined } from '@tidemark/core';
import type { Tool } from '@tidemark/agent';
import { createAgentTool, nearestName } from '@tidemark/agent';
import type { WorkspaceOptions } from '@tidemark/tools-workspace';
import { createPlanTool, workspaceTools } from '@tidemark/tools-workspace';
import { resolve } from 'node:path';
import type { AgentOptions } from './agent-options.ts';
import { KitError } from './kit-error.ts';

/** @throws KitError `kit/bad-options` for built-in tools without a workspace, unknown ones, and two of one name. */
export function chooseTools(options: AgentOptions): readonly Tool[] {
  const { plan = false, subagents = false, tools: own = [] } = options;
  const made = [...(plan ? [createPlanTool()] : []), ...(subagents === false ? [] : [createAgentTool()])];
  const tools = [...builtInTools(options), ...made, ...own];
  const names = tools.map((tool) => tool.name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice === undefined) return tools;
  throw new KitError(
    'kit/bad-options',
    `two tools are called ${twice}: rename one, or name in \`builtIn\` the built-in tools to keep`,
    { tool: twice },
  );
}

function builtInTools(options: AgentOptions): readonly Tool[] {
  const { workspace, builtIn = workspace !== undefined } = options;
  if (builtIn === false) return [];
  if (workspace === undefined)
    throw new KitError('kit/bad-options', 'the built-in tools work in a folder: name it as `workspace`');
  const all = workspaceTools(workspaceOptions(workspace, options));
  return builtIn === true ? all : builtIn.map((name) => toolNamed(name, all));
}

/** Returns what the workspace's tools are made with. Every path is absolute. */
export function workspaceOptions(workspace: string, options: AgentOptions): WorkspaceOptions {
  const { environment, trusted, permissions, protectedPaths, sandbox } = options;
  return {
    folder: resolve(workspace),
    forbidden: forbiddenTo(options),
    ...defined({
      protectedPaths: protectedPaths?.map((path) => resolve(workspace, path)),
      environment,
      memory: trusted,
      network: sandbox?.network,
    }),
    // Who lets commands run without a sandbox lets them change the repository in one.
    ...(permissions?.unconfined === true && { repository: 'writable' }),
  };
}

/** Absolute paths that no tool touches: the home of the logs first of all. */
export function forbiddenTo({ store, forbidden = [] }: AgentOptions): readonly string[] {
  const homes = typeof store === 'object' && 'home' in store ? [resolve(store.home)] : [];
  return [...homes, ...forbidden.map((path) => resolve(path))];
}

function toolNamed(name: string, all: readonly Tool[]): Tool {
  const found = all.find((tool) => tool.name === name);
  if (found !== undefined) return found;
  const names = all.map((tool) => tool.name);
  const nearest = nearestName(name, names);
  const next = nearest === undefined ? `there are ${names.join(', ')}` : `did you mean ${nearest}?`;
  throw new KitError('kit/bad-options', `there is no built-in tool ${name}: ${next}`, { tool: name });
}
