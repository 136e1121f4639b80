// Finds the user's own agents for a folder, the one that a run uses, and the providers of their models.

import { createSecrets, nearestName, secretsOf } from '@tidemark/agent';
import { defined } from '@tidemark/core';
import type { AgentOptions, ProviderName } from '@tidemark/kit';
import { builtInToolNames, isProviderName, PROVIDERS } from '@tidemark/kit';
import type { Capabilities, Catalog } from '@tidemark/model';
import { effortProblem, modelNamed } from '@tidemark/model';
import type { Settings } from '@tidemark/settings';
import { judgeTrust, readBrought, readSettings, SettingsError } from '@tidemark/settings';
import type { FoundAgent, FoundAgents, SkillRoot } from '@tidemark/tools-skills';
import { findAgents } from '@tidemark/tools-skills';

import type { CommandContext } from '../frame/command.ts';
import { CliError } from '../frame/failure.ts';
import type { OpenedProvider } from './choose-provider.ts';
import { waysToKey } from './key-presence.ts';
import { settingsRequest } from './own-settings.ts';
import { agentPlaces } from './skill-places.ts';

/** The own agents of a folder, and the folders that were searched. */
export interface AgentsHere {
  readonly roots: readonly SkillRoot[];
  readonly found: FoundAgents;
}

/** Searches the own agents for a folder: those of the user, and those of the folder if it is trusted. */
export async function agentsIn(
  context: Pick<CommandContext, 'userFolder' | 'configFolder' | 'environment'>,
  workspace: { readonly folder: string; readonly trusted: boolean },
  { agentRoots }: Settings,
): Promise<AgentsHere> {
  const roots = await agentPlaces(context, workspace, agentRoots);
  const { mask } = createSecrets({ values: secretsOf(context.environment) });
  return { roots, found: await findAgents(roots, mask) };
}

/**
 * Searches the own agents for the current folder without a question. `unused` contains the names of agents of the folder
 * that are not used because it is not trusted.
 */
export async function agentsHere(
  context: CommandContext,
): Promise<AgentsHere & { readonly unused: readonly string[] }> {
  const { folder } = context;
  const { trusted, unused } = await agentsOfFolder(context);
  const { settings } = await readSettings({ ...settingsRequest(context), trusted: false });
  return { ...(await agentsIn(context, { folder, trusted }, settings)), unused };
}

async function agentsOfFolder({
  folder,
  home,
}: CommandContext): Promise<{ readonly trusted: boolean; readonly unused: readonly string[] }> {
  try {
    const brought = await readBrought(folder);
    const trusted = (await judgeTrust(home, brought)) === 'trusted';
    return { trusted, unused: trusted ? [] : brought.agents };
  } catch (error) {
    // If a folder cannot be read completely, none of it is used.
    if (error instanceof SettingsError) return { trusted: false, unused: [] };
    throw error;
  }
}

/**
 * Returns the own agent with this name.
 *
 * @throws CliError `cli/not-found` with the nearest name, or with the reason why its file cannot be used.
 */
export function agentNamed(name: string, { found }: AgentsHere): FoundAgent {
  const agent = found.agents.find((one) => one.name === name);
  if (agent !== undefined) return agent;
  const bad = found.bad.find(({ path }) => path.endsWith(`/${name}.md`));
  if (bad !== undefined)
    throw new CliError('cli/refused', `the agent ${bad.path} cannot be used: ${bad.reason}`, 'correct the file');
  const names = found.agents.map((one) => one.name);
  const near = nearestName(name, names);
  const next =
    near === undefined
      ? '`tidemark agents` lists your agents; those of a folder need `tidemark trust`'
      : `did you mean ${near}? \`tidemark agents\` lists your agents`;
  throw new CliError('cli/not-found', `there is no agent ${JSON.stringify(name)}`, next);
}

/**
 * Returns a sentence for each tool of an agent that does not exist, with the nearest name. The tools of a server are not
 * known before it runs, so every name that begins with one of the servers is accepted, and every name with `*`.
 */
export function toolProblems(tools: readonly string[], servers: readonly string[]): readonly string[] {
  const known = builtInToolNames();
  const isAccepted = (name: string): boolean =>
    name.includes('*') || known.includes(name) || servers.some((server) => name.startsWith(`${server}__`));
  return tools
    .filter((name) => !isAccepted(name))
    .map((name) => {
      const near = nearestName(name, known);
      const next = near === undefined ? `it can have ${known.join(', ')}` : `did you mean \`${near}\`?`;
      return `tools: there is no tool \`${name}\`; ${next}`;
    });
}

/** Returns the row of the model that an agent names, preferring models of `provider`, as the library does. */
export function rowOfAgent(
  name: string,
  catalog: Catalog,
  provider: ProviderName | undefined,
): Capabilities | undefined {
  const own = provider === undefined ? undefined : modelNamed(name, catalog, provider);
  return own ?? modelNamed(name, catalog, undefined);
}

/** Returns the reason why an agent cannot work with its model and its effort. Keys are not checked. */
export function modelProblem(
  { model, effort }: Pick<FoundAgent, 'model' | 'effort'>,
  row: Capabilities | undefined,
): string | undefined {
  if (model === undefined) return undefined;
  if (row === undefined)
    return `model: the catalog knows no model ${JSON.stringify(model)}; \`tidemark models\` lists them`;
  const problem = effort === undefined ? undefined : effortProblem(row, effort);
  return problem && `effort: ${problem}`;
}

/**
 * Returns the keys and addresses of other providers for the models of subagents and own agents. Only the providers of
 * models that are named somewhere are looked up.
 *
 * @throws CliError `cli/no-key` if the setting `subagents.model` needs a key that is missing.
 */
export async function otherProviders(
  { found }: AgentsHere,
  { subagents }: Settings,
  { provider, catalog }: { readonly provider: Pick<OpenedProvider, 'options' | 'reach'>; readonly catalog: Catalog },
): Promise<AgentOptions['otherProviders']> {
  const main = typeof provider.options.provider === 'string' ? provider.options.provider : undefined;
  const usual = subagents === false ? undefined : subagents?.model;
  const models = [usual, ...found.agents.map(({ model }) => model)].filter((model) => model !== undefined);
  const reached: { [name in ProviderName]?: { apiKey?: string; baseURL?: string } } = {};
  for (const model of new Set(models)) {
    const name = rowOfAgent(model, catalog, main)?.provider ?? '';
    if (!isProviderName(name) || name === main || reached[name] !== undefined) continue;
    const reach = await provider.reach(name);
    if (reach !== undefined) reached[name] = reach;
    else if (model === usual) throw noKey(name, model);
  }
  return reached;
}

function noKey(provider: ProviderName, model: string): CliError {
  const { title } = PROVIDERS[provider];
  return new CliError(
    'cli/no-key',
    `there is no key for ${title}, which the setting subagents.model = ${JSON.stringify(model)} needs`,
    waysToKey(provider, 'change the setting'),
  );
}

/** Options with which an agent of the library gets the own agents. */
export function ownAgentOptions(
  { roots }: AgentsHere,
  others: AgentOptions['otherProviders'],
): Pick<AgentOptions, 'ownAgents' | 'otherProviders'> {
  return defined({ ownAgents: { roots }, otherProviders: others });
}
