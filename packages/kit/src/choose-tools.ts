// Chooses the tools of an agent: the selected tools of the workspace, the subagent tool, and the author's own tools.

import { defined } from '@tidemark/core';
import type { Tool } from '@tidemark/agent';
import { createAgentTool, nearestName, THIS_MACHINE } from '@tidemark/agent';
import type { WebSearch } from '@tidemark/tools-web';
import { createProviderSearch, WebError, webTools } from '@tidemark/tools-web';
import type { Background, WorkspaceOptions } from '@tidemark/tools-workspace';
import { createBackground, workspaceTools } from '@tidemark/tools-workspace';
import { resolve } from 'node:path';
import type { AgentOptions, WorkspaceSetup } from './agent-options.ts';
import { homeOf, workspaceOf } from './agent-options.ts';
import type { ChosenProvider } from './choose-provider.ts';
import { KitError } from './kit-error.ts';

/**
 * Returns the tools of an agent.
 *
 * @throws KitError `kit/bad-options` for an unknown tool of the workspace, and for two tools with the same name.
 */
export function chooseTools(options: AgentOptions, model: ChosenProvider, background?: Background): readonly Tool[] {
  const { subagents = false, tools: own = [] } = options;
  const tools = [
    ...toolsOfWorkspace(options, background),
    ...toolsOfWeb(options, model),
    ...(subagents === false ? [] : [createAgentTool()]),
    ...own,
  ];
  const names = tools.map((tool) => tool.name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice === undefined) return tools;
  throw new KitError(
    'kit/bad-options',
    `two tools have the name ${twice}: rename one, or list the workspace tools that you need in \`workspace.tools\``,
    { tool: twice },
  );
}

/** Returns the names of all tools that an agent can have without servers and without tools of its author. */
export function builtInToolNames(): readonly string[] {
  return [...workspaceTools({ folder: '/', memory: true }).map(({ name }) => name), ...WITH_OPTIONS];
}

const WITH_OPTIONS: readonly string[] = [
  'agent',
  'plan',
  'skill_search',
  'skill_load',
  'tool_search',
  'tool_call',
  'process',
  'fetch',
  'web_search',
];

function toolsOfWorkspace(options: AgentOptions, background: Background | undefined): readonly Tool[] {
  const workspace = workspaceOf(options);
  const wanted = workspace?.tools ?? true;
  if (workspace === undefined || wanted === false) return [];
  const all = workspaceTools({ ...workspaceOptions(workspace, options), ...defined({ background }) });
  return wanted === true ? all : wanted.map((name) => toolNamed(name, all));
}

function toolsOfWeb(
  { web, host: { clock = THIS_MACHINE } = {} }: AgentOptions,
  model: ChosenProvider,
): readonly Tool[] {
  if (web === undefined) return [];
  const { search: wanted, ...rest } = web;
  const now = (): string => clock.now();
  const search = wanted === 'provider' ? searchOf(model, now) : wanted;
  try {
    return webTools({ ...rest, ...defined({ search }), now });
  } catch (error) {
    if (!(error instanceof WebError)) throw error;
    const problem = `web.allowPrivate: ${error.message}`;
    throw new KitError('kit/bad-options', `createAgent cannot use these options: ${problem}`, { problems: [problem] });
  }
}

/** @throws KitError `kit/bad-options` for a provider without its own search. */
function searchOf({ provider: { name, searchWeb }, capabilities }: ChosenProvider, now: () => string): WebSearch {
  if (searchWeb !== undefined) return createProviderSearch({ provider: { name, searchWeb }, capabilities, now });
  const problem = `web.search: the provider ${name} has no search of the web; use createBraveSearch, or another provider`;
  throw new KitError('kit/bad-options', `createAgent cannot use these options: ${problem}`, { problems: [problem] });
}

/** Returns the host of background processes. Returns `undefined` if the agent can have none. */
export function backgroundOf(options: AgentOptions): Background | undefined {
  const workspace = workspaceOf(options);
  const { tools = true, backgroundProcesses: most } = workspace ?? {};
  if (workspace === undefined || most === 0 || tools === false) return undefined;
  if (tools !== true && !(tools.includes('bash') && tools.includes('process'))) return undefined;
  return createBackground({ ...workspaceOptions(workspace, options), ...defined({ most }) });
}

/** Returns the options of the workspace's tools. Every path in them is absolute. */
export function workspaceOptions(workspace: WorkspaceSetup, options: AgentOptions): WorkspaceOptions {
  const { folder, trusted, memory, protectedPaths, sandbox, commands } = workspace;
  const { host, permissions } = options;
  return {
    folder: resolve(folder),
    forbidden: forbiddenTo(options),
    ...defined({
      protectedPaths: protectedPaths?.map((path) => resolve(folder, path)),
      environment: host?.environment,
      memory: memory === false ? false : trusted,
      network: sandbox?.network,
      variables: commands?.variables,
      secretVariables: commands?.secretVariables,
    }),
    // If the author allows commands without a sandbox, sandboxed commands are also allowed to change git repositories.
    ...(permissions?.allowUnsandboxed === true && { repository: 'writable' }),
  };
}

/** Returns the absolute paths that no tool may touch. If `store` is a folder, this folder is the first path. */
export function forbiddenTo(options: AgentOptions): readonly string[] {
  const { forbidden = [] } = workspaceOf(options) ?? {};
  const home = homeOf(options);
  const homes = home === undefined ? [] : [resolve(home)];
  return [...homes, ...forbidden.map((path) => resolve(path))];
}

function toolNamed(name: string, all: readonly Tool[]): Tool {
  const found = all.find((tool) => tool.name === name);
  if (found !== undefined) return found;
  const names = all.map((tool) => tool.name);
  const nearest = nearestName(name, names);
  const next = nearest === undefined ? `its tools are ${names.join(', ')}` : `did you mean ${nearest}?`;
  throw new KitError('kit/bad-options', `the workspace has no tool ${name}: ${next}`, { tool: name });
}
