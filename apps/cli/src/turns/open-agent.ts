// Opens an agent for a folder, with the flags, the settings and the permissions of its user, and a session in it.

import { stat } from 'node:fs/promises';

import { defined } from '@tidemark/core';
import type {
  Agent,
  AgentOptions,
  AgentSession,
  ForecastOptions,
  NextCall,
  OpenOptions,
  Permissions,
  Words,
} from '@tidemark/kit';
import { narrower } from '@tidemark/agent';
import { createAgent, createMemoryStore, createPlanTool } from '@tidemark/kit';
import { defaultCatalog, withOverrides } from '@tidemark/model';
import type { Settings } from '@tidemark/settings';
import { openGrants } from '@tidemark/settings';

import type { AgentFlags } from '../arguments/agent-flags.ts';
import { limitsIn, modeIn, rewriteNoticeIn } from '../arguments/agent-flags.ts';
import type { ChosenSession } from '../arguments/choose-session.ts';
import { resolveModel } from '../arguments/resolve-model.ts';
import type { CommandContext } from '../frame/command.ts';
import { CliError } from '../frame/failure.ts';
import { plainText } from '../frame/plain-text.ts';
import { withStyle } from '../frame/shown.ts';
import { chooseProvider } from '../settings/choose-provider.ts';
import { hookOptions } from '../settings/hook-options.ts';
import { mcpOptions } from '../settings/mcp-servers.ts';
import type { AgentsHere } from '../settings/own-agents.ts';
import { agentNamed, agentsIn, otherProviders, ownAgentOptions, toolProblems } from '../settings/own-agents.ts';
import { readOwnCatalog } from '../settings/own-catalog.ts';
import type { FolderTrust } from '../settings/folder-trust.ts';
import { settingsIn } from '../settings/settings-in.ts';
import type { SharedSimulator } from '../settings/simulator-server.ts';
import { ownInstructions, skillBudgetIn, skillPlaces } from '../settings/skill-places.ts';
import { folderTrust } from '../settings/trust-in.ts';
import { webOptions } from '../settings/web-options.ts';
import { withSettings } from '../settings/with-settings.ts';
import { effortFor, withoutKeptEffort } from './effort.ts';
import { forkForModel, forksFor } from './switch-model.ts';

/** Choices for an agent and its session. */
export interface AgentRequest {
  readonly flags: AgentFlags;
  /** Session to open. By default a new session in the current folder. */
  readonly session?: ChosenSession;
  readonly title?: string;
  /** True if an earlier command started the turn. A flag cannot give such a turn a wider permission mode. */
  readonly resumes?: true;
  /** Program through which prompts come, as the log names it. Default: `cli`. */
  readonly client?: string;
  /** True to record the model of a new session at once, because its first prompt may come much later. */
  readonly recordModel?: true;
  /** Simulator that answers if the provider is `simulator`. Default: a new one for this agent. */
  readonly simulator?: SharedSimulator;
}

/** An agent whose session is not open yet. */
export interface PreparedAgent {
  readonly agent: Agent;
  /** Flags after the settings and the names of models were applied. */
  readonly flags: AgentFlags;
  /** Opens the session of the request. A new session gets the title. Called at most once. */
  open(title?: string): Promise<AgentSession>;
  /**
   * Forecasts the first call of a new session, with a prompt of these words, and stores nothing. Returns `undefined` if
   * the call is unknown before the session exists.
   */
  forecastFirst?(words?: Words, options?: ForecastOptions): Promise<NextCall | undefined>;
  /** Returns the state of the folder. */
  trust?(): Promise<FolderTrust>;
  /** Closes the session, the agent and the provider. */
  close(): Promise<void>;
}

/** An agent and its open session. */
export interface OpenedAgent extends Omit<PreparedAgent, 'open' | 'forecastFirst' | 'trust'> {
  readonly session: AgentSession;
}

/**
 * Opens an agent and a session in it. `ask` asks the user for permission. Without it, calls
 * that need a permission are denied.
 */
export async function openAgent(
  request: AgentRequest,
  context: CommandContext,
  ask: Permissions['ask'] | undefined,
): Promise<OpenedAgent> {
  const { agent, flags, open, close } = await prepareAgent(request, context, ask);
  try {
    return { agent, session: await open(request.title), flags, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Opens an agent as `openAgent` does, but leaves its session to be opened later. Until then no session is created. */
export async function prepareAgent(
  typed: AgentRequest,
  context: CommandContext,
  ask: Permissions['ask'] | undefined,
): Promise<PreparedAgent> {
  const workspace = typed.session?.workspace ?? context.folder;
  await requireFolder(workspace);
  const changes = await readOwnCatalog(context.home);
  const catalog = changes === undefined ? defaultCatalog() : withOverrides(defaultCatalog(), changes);
  const found = await settingsIn(workspace, typed.flags, context);
  const { settings } = found;
  const newSession = typed.session === undefined;
  const use = { settings, newSession, person: ask !== undefined, catalog };
  const agents = await agentsIn(context, { folder: workspace, trusted: found.trusted }, settings);
  const asAgent = withAgent(typed.flags, { agents, settings, newSession }, context);
  const wanted = withoutKeptEffort(withSettings(asAgent, use), typed.session);
  const flags = resolveModel(wanted, { catalog, session: typed.session });
  if (flags.model !== wanted.model && context.output.watched)
    context.output.note(`"${wanted.model}" is ${flags.model}`);
  const request = requestWith(flags, typed);
  const permissions = await permissionsOf(flags, workspace, context, ask);
  const { baseUrl: addresses, connection } = settings;
  const provider = await chooseProvider({ ...request, catalog, ...defined({ addresses, connection }) }, context);
  try {
    const own = ownAgentOptions(agents, await otherProviders(agents, settings, { provider, catalog }));
    const options = await agentOptions(
      { request, provider: provider.options, catalogChanges: changes, found, permissions, workspace, own },
      context,
    );
    const agent = createAgent(options);
    const close = async (): Promise<void> => {
      try {
        await agent.close();
      } finally {
        await provider.close();
      }
    };
    // A title is the beginning of the first prompt, and a prompt that a hook denies must not be recorded.
    const untitled = settings.hooks?.some(({ on }) => on === 'before-prompt') === true;
    const open = async (title?: string): Promise<AgentSession> => {
      const effort = effortFor(agent.capabilities, request, typed.flags.effort !== undefined, context);
      const session = await openIn(agent, { ...request, ...defined({ title: untitled ? undefined : title }) }, context);
      if (effort !== undefined) session.setReasoning({ effort });
      return session;
    };
    return {
      agent,
      flags,
      open,
      trust: () => folderTrust(found, context),
      close,
      ...(newSession && {
        forecastFirst: (words?: Words, prompt?: ForecastOptions) => forecastFirst(options, words, prompt),
      }),
    };
  } catch (error) {
    await provider.close();
    throw error;
  }
}

/** Returns the request with other flags. Its title is passed when the session is opened. */
function requestWith(flags: AgentFlags, { title: _title, ...request }: AgentRequest): Omit<AgentRequest, 'title'> {
  return { ...request, flags };
}

/** Forecasts on a session in memory, so that no session is left. */
async function forecastFirst(
  options: AgentOptions,
  words: Words | undefined,
  prompt: ForecastOptions | undefined,
): Promise<NextCall | undefined> {
  // The tools of MCP servers are a part of the call. A second session would start the servers twice.
  if (options.mcp !== undefined) return undefined;
  const agent = createAgent({ ...options, store: createMemoryStore() });
  try {
    return await (await agent.open()).forecast(words, prompt);
  } finally {
    await agent.close();
  }
}

/** Results from which the options of an agent are made. */
interface AgentMaterials {
  readonly request: AgentRequest;
  readonly provider: AgentOptions;
  readonly catalogChanges: Awaited<ReturnType<typeof readOwnCatalog>>;
  readonly found: Awaited<ReturnType<typeof settingsIn>>;
  readonly permissions: Permissions;
  readonly workspace: string;
  readonly own: ReturnType<typeof ownAgentOptions>;
}

async function agentOptions(
  { request, provider, catalogChanges, found, permissions, workspace, own }: AgentMaterials,
  context: CommandContext,
): Promise<AgentOptions> {
  const { flags } = request;
  const { settings, trusted, brought } = found;
  return {
    ...provider,
    modelOptions: { ...provider.modelOptions, ...defined({ catalog: catalogChanges }) },
    store: await context.store(),
    workspace: {
      folder: workspace,
      forbidden: [context.home, context.configFolder],
      // A trusted workspace also uses its memory and its instruction files.
      trusted,
      ...defined({
        memory: settings.memory,
        agentsFile: settings.agentsFile,
        ownInstructions: await ownInstructions(context, workspace),
        backgroundProcesses: settings.backgroundProcesses,
        sandbox: flags.network === undefined ? undefined : { network: flags.network },
        protectedPaths: trusted ? brought?.named : undefined,
        commands: settings.commands && defined(settings.commands),
      }),
    },
    tools: (settings.plan ?? true) ? [createPlanTool()] : [],
    ...defined({ mcp: mcpOptions(settings, context), hooks: hookOptions(settings, context) }),
    subagents: settings.subagents ?? {},
    web: await webOptions(settings, provider.provider, context),
    ...own,
    host: { environment: context.environment, client: request.client ?? 'cli' },
    skills: {
      roots: await skillPlaces(context, { folder: workspace, trusted }, settings.skillRoots),
      budget: skillBudgetIn(settings),
    },
    limits: limitsIn(flags),
    cache: defined({
      ttl: flags.ttl,
      padding: flags.padding,
      rewriteNotice: rewriteNoticeIn(flags, request.session !== undefined && flags.agent !== undefined),
    }),
    compaction: defined({ when: flags.compaction, by: flags.compactionBy, pruning: flags.pruning }),
    permissions: {
      ...permissions,
      allowUnsandboxed: flags.allowUnsandboxed === true,
      ...defined({ rules: settings.permissions?.rules }),
    },
  };
}

/**
 * Opens the session. If the model changes, opens it in a fork. A mode on the command line overrides the mode in the
 * log. For a resumed turn, the new mode can be narrower but not wider.
 */
async function openIn(agent: Agent, request: AgentRequest, context: CommandContext): Promise<AgentSession> {
  const { session, flags } = request;
  const live =
    session !== undefined && forksFor(agent, session, flags)
      ? await forkForModel(agent, session, context)
      : await agent.open(session?.id, session === undefined ? newSessionOf(request) : {});
  if (session !== undefined && flags.agent !== undefined) live.setAgent(flags.agent);
  const asked = modeIn(flags);
  if (asked === undefined || asked === live.mode) return live;
  if (request.resumes === true && narrower(asked, live.mode) !== asked)
    throw new CliError(
      'cli/usage',
      `the turn began in mode ${live.mode}, and \`resume\` cannot widen it to mode ${asked}`,
      `resume without a mode; \`tidemark --continue --mode ${asked} "…"\` sets it for the next prompt`,
    );
  await live.setMode(asked);
  return live;
}

function newSessionOf({ title, recordModel, flags: { agent } }: AgentRequest): OpenOptions {
  // The model and the effort of the own agent are among the flags already.
  return { ...defined({ title, agent, recordModel }), ...(agent !== undefined && { keepModel: true }) };
}

/**
 * Returns the flags with the model and the effort of the own agent. An existing session keeps its own model and effort.
 *
 * @throws CliError `cli/not-found` for an agent that does not exist.
 */
function withAgent(
  flags: AgentFlags,
  {
    agents,
    settings,
    newSession,
  }: { readonly agents: AgentsHere; readonly settings: Settings; readonly newSession: boolean },
  { output }: CommandContext,
): AgentFlags {
  const name = flags.agent ?? (newSession ? settings.agent : undefined);
  if (name === undefined) return flags;
  const { model, effort, tools = [] } = agentNamed(name, agents);
  for (const problem of toolProblems(tools, Object.keys(settings.mcp?.servers ?? {})))
    output.note([withStyle('yellow', 'notice'), `: ${name}: ${plainText(problem)}`]);
  return newSession ? { ...defined({ model, effort }), ...flags } : flags;
}

async function requireFolder(path: string): Promise<void> {
  const found = await stat(path).catch((error: unknown) => {
    throw new CliError(
      'cli/not-found',
      `the folder ${path} of the session does not exist`,
      'restore the folder',
      error,
    );
  });
  if (!found.isDirectory())
    throw new CliError('cli/refused', `${path}, the folder of the session, is not a folder`, 'restore the folder');
}

async function permissionsOf(
  flags: AgentFlags,
  workspace: string,
  context: CommandContext,
  ask: Permissions['ask'] | undefined,
): Promise<Permissions> {
  const mode = modeIn(flags);
  if (mode === 'ask' && ask === undefined)
    throw new CliError(
      'cli/usage',
      context.input.piped
        ? 'mode ask needs a terminal, but stdin is a pipe'
        : 'mode ask needs a terminal, without `--json`',
      'use `--mode read-only` or `--mode auto`, or run the command in a terminal',
    );
  return defined({ mode, grants: await openGrants(context.home, workspace), ask });
}
