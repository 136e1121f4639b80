// Converts the options of an author to the complete settings of a session. Every default is applied here.

import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { defined } from '@tidemark/core';
import type {
  ContextSource,
  ImageFitter,
  Mode,
  Rule,
  RuleSet,
  RuledTool,
  Runtime,
  Secrets,
  Tool,
  TurnWatch,
} from '@tidemark/agent';
import {
  RETRY,
  THIS_MACHINE,
  createCacheWriteGate,
  createSecrets,
  ownAgentSource,
  permissionModeSource,
  readRules,
  secretsOf,
} from '@tidemark/agent';
import type { Log } from '@tidemark/log';
import { createMemoryStore } from '@tidemark/store-memory';
import { openNdjsonStore } from '@tidemark/store-ndjson';
import { createImageFitter } from '@tidemark/tools-images';
import type { McpTools } from '@tidemark/tools-mcp';
import { createMcpTools, openApprovals } from '@tidemark/tools-mcp';
import type { InstalledSkills } from '@tidemark/tools-skills';
import { createSkillShelf } from '@tidemark/tools-skills';
import type { Background, InstructionsOptions } from '@tidemark/tools-workspace';
import {
  createLaterWatch,
  environmentSource,
  instructionsSource,
  memorySource,
  processesSource,
  workspaceSource,
} from '@tidemark/tools-workspace';
import type { AgentOptions, WorkspaceSetup } from './agent-options.ts';
import { homeOf, workspaceOf } from './agent-options.ts';
import { chooseParameters, chooseProvider, requireReachable } from './choose-provider.ts';
import { chooseHooks } from './choose-hooks.ts';
import { backgroundOf, chooseTools, forbiddenTo } from './choose-tools.ts';
import { exactCost, limitsOf, subagentLimitsOf } from './exact-limits.ts';
import { OUTPUT_LIMIT } from './find-capabilities.ts';
import { secretsOfCommands } from './command-secrets.ts';
import { KitError } from './kit-error.ts';
import { withOwnNames } from './with-skills.ts';

/** Settings of an agent, with every default applied. */
export interface ResolvedAgent {
  readonly log: Log;
  readonly runtime: Runtime;
  /** Absolute path of the workspace. Without a workspace, the current folder of the process. */
  readonly workspace: string;
  /** Permission mode of a new session. */
  readonly firstMode: Mode;
  readonly secrets: Secrets;
  /** Installed skills. Absent if the option `skills` is not set. */
  readonly skills?: InstalledSkills;
  /** Tools of the MCP servers. `undefined` if the option `mcp` is not set. */
  readonly mcp: McpTools | undefined;
}

/**
 * Resolves the options of an agent.
 *
 * @throws KitError `kit/no-key`, `kit/unknown-model`, `kit/bad-options`.
 */
export function resolveAgent(options: AgentOptions): ResolvedAgent {
  const { permissions = {} } = options;
  const mcp = mcpOf(options);
  const secrets = secretsIn(options);
  const workspace = resolve(workspaceOf(options)?.folder ?? '.');
  return {
    log: openStore(options),
    runtime: runtimeOf(options, mcp),
    mcp,
    workspace,
    firstMode: permissions.mode ?? (permissions.ask === undefined ? 'read-only' : 'ask'),
    secrets,
    ...(options.skills !== undefined && {
      skills: createSkillShelf(options.skills, { mask: secrets.mask, workspace }),
    }),
  };
}

function runtimeOf(options: AgentOptions, mcp: McpTools | undefined): Runtime {
  const { instructions, permissions = {}, subagents = false } = options;
  const { connection = {}, modelOptions = {}, compaction = {}, host = {} } = options;
  const { clock = THIS_MACHINE } = host;
  const { provider, capabilities } = chooseProvider(options);
  requireReachable(options);
  const background = backgroundOf(options);
  const tools = chooseTools(options, { provider, capabilities }, background);
  return {
    provider,
    capabilities,
    parameters: chooseParameters(options, capabilities),
    tools,
    sources: withOwnNames([...sourcesOf(options, background), ...(mcp?.sources ?? [])]),
    limits: limitsOf(options.limits ?? {}),
    retry: { ...RETRY, ...connection.retry },
    outputLimit: Math.min(options.maxOutputTokens ?? OUTPUT_LIMIT, capabilities.outputLimit),
    compactionBy: compaction.by ?? 'auto',
    pruning: compaction.pruning ?? 'auto',
    envelope: {},
    betas: modelOptions.betas ?? [],
    allowUnsandboxed: permissions.allowUnsandboxed ?? false,
    modeIsDefault: permissions.mode === undefined,
    surroundings: clock,
    gate: createCacheWriteGate(() => clock.elapsed()),
    ...cacheOf(options),
    ...imagesOf(options),
    ...defined({
      watch: watchOf(options),
      hooks: chooseHooks(options, [...tools.map(({ name }) => name), ...SOMETIMES.map(({ name }) => name)]),
      processes: background,
      toolSources: mcp === undefined ? undefined : [mcp],
      // Absent if the author sets no policy. A resumed turn then keeps the compaction policy with which it began.
      compaction: compaction.when,
      budgets: compaction.budgets,
      role: instructions,
      ask: permissions.ask,
      grants: permissions.grants,
      rules: permissions.rules === undefined ? undefined : chooseRules(permissions.rules, tools),
      onRequest: connection.onRequest,
    }),
    ...(subagents !== false && { subagents: subagentLimitsOf(subagents) }),
  };
}

function cacheOf(options: AgentOptions): Pick<Runtime, 'ttl' | 'warm' | 'promptVerbosity' | 'padding'> {
  const { ttl = 'auto', warm = 'auto', padding, neighbours, rewriteNotice } = options.cache ?? {};
  const { runtimeInstructions: text = hasFolder(options) ? 'full' : 'brief' } = options.context ?? {};
  return {
    ttl,
    warm,
    promptVerbosity: text,
    // The padding is a guide about work in a folder. The `brief` runtime instructions therefore get no padding by
    // default.
    padding: padding ?? (text === 'brief' ? 'never' : 'auto'),
    ...defined({
      neighbours,
      rewriteNotice: rewriteNotice && defined({ ...rewriteNotice, cost: exactCost(rewriteNotice.cost) }),
    }),
  };
}

function watchOf(options: AgentOptions): TurnWatch | undefined {
  const workspace = workspaceOf(options);
  if (workspace === undefined) return undefined;
  const environment = options.host?.environment;
  return createLaterWatch({
    folder: resolve(workspace.folder),
    home: environment?.['HOME'] ?? homedir(),
    environment,
  });
}

/**
 * Returns true if the agent has a workspace or skills. The default runtime instructions are then `full`, because they
 * contain rules about files, project instructions, skills and memory.
 */
function hasFolder({ workspace, skills }: AgentOptions): boolean {
  return workspace !== undefined || skills !== undefined;
}

function imagesOf({ context }: AgentOptions): { readonly images?: ImageFitter } {
  const { images = createImageFitter() } = context ?? {};
  return images === 'as-given' ? {} : { images };
}

/**
 * Returns the tools of the MCP servers. Accepted tool definitions are stored in the folder of the store, next to the
 * sessions.
 */
function mcpOf(options: AgentOptions): McpTools | undefined {
  const { mcp, host: { clock = THIS_MACHINE } = {} } = options;
  if (mcp === undefined || 'offer' in mcp) return mcp;
  const home = homeOf(options);
  const kept = home === undefined ? {} : { approvals: openApprovals(join(home, 'mcp-tools.json')) };
  return createMcpTools({ surroundings: clock, ...kept, ...mcp });
}

function openStore(options: AgentOptions): Log {
  const { store } = options;
  if (typeof store === 'object' && 'read' in store) return store;
  const home = homeOf(options);
  return home === undefined ? createMemoryStore() : openNdjsonStore({ home });
}

/**
 * Returns the secrets to mask. The options `apiKey` and `bearerToken` are always secrets. A token from a function is
 * not known here, so it is not included. A variable or header is a secret if its name looks like the name of a
 * credential.
 */
function secretsIn(options: AgentOptions): Secrets {
  const { apiKey, connection = {}, otherProviders = {}, host, mcp, web } = options;
  const { bearerToken, headers = {} } = connection;
  const token = typeof bearerToken === 'string' ? bearerToken : undefined;
  const keys = Object.entries(otherProviders).map(([name, { apiKey: key }]) => [`${name}_API_KEY`, key]);
  const given = [
    ...secretsOf(defined({ API_KEY: apiKey, BEARER_TOKEN: token })),
    ...secretsOf(Object.fromEntries(keys)),
    ...secretsOf(headers),
  ];
  const ofServers = Object.values(mcp !== undefined && 'servers' in mcp ? mcp.servers : {}).flatMap((server) =>
    secretsOf(('command' in server ? server.env : server.headers) ?? {}),
  );
  const named = secretsOfCommands(options);
  const ofSearch = (typeof web?.search === 'object' ? (web.search.secrets ?? []) : []).flatMap((value) =>
    secretsOf({ SEARCH_API_KEY: value }),
  );
  return createSecrets({
    values: [...named, ...secretsOf(host?.environment ?? {}), ...ofServers, ...ofSearch, ...given],
  });
}

/**
 * Returns the context sources of the agent, without those of MCP servers. Without a workspace, only the permission mode
 * and the author's own sources are returned.
 */
function sourcesOf(options: AgentOptions, background: Background | undefined): readonly ContextSource[] {
  const workspace = workspaceOf(options);
  const { sources = [] } = options.context ?? {};
  const mode = permissionModeSource(defined({ allowUnsandboxed: options.permissions?.allowUnsandboxed }));
  if (workspace === undefined) return [mode, ownAgentSource(), ...sources];
  const { folder, trusted = false, memory: remembers = true } = workspace;
  const found = instructionsSource(instructionsOf(workspace));
  const memory =
    trusted && remembers ? [memorySource({ folder: resolve(folder), forbidden: forbiddenTo(options) })] : [];
  const processes = background === undefined ? [] : [processesSource(background)];
  return [workspaceSource(), environmentSource(), mode, ownAgentSource(), found, ...memory, ...processes, ...sources];
}

/**
 * Returns the options for instruction files. Without the option `agentsFile`, they are attached only to new sessions, so
 * that a session of an earlier version does not change.
 */
function instructionsOf({ agentsFile, trusted = false, ownInstructions = [] }: WorkspaceSetup): InstructionsOptions {
  if (agentsFile === 'discover') return { instructions: 'discover' };
  const own = ownInstructions.map((path) => resolve(path));
  if (agentsFile === 'attach') return { instructions: 'attach', own };
  return { instructions: trusted ? 'attach' : 'discover', own, onlyNew: true };
}

// Permission rules of an agent, read and checked against its tools. `createAgent` throws for an invalid rule.

/**
 * Tools that an agent has only with certain options. If such a tool is absent, a rule or a hook about it is accepted but
 * has no effect.
 */
const SOMETIMES: readonly RuledTool[] = [
  'memory_update',
  'process',
  'plan',
  'skill_search',
  'skill_load',
  'agent',
  'fetch',
  'web_search',
].map((name) => ({
  name,
}));

/**
 * Returns the rules in their checked form.
 *
 * @throws KitError `kit/bad-options` with each invalid rule and its correction.
 */
function chooseRules(rules: readonly Rule[], tools: readonly Tool[]): RuleSet {
  const read = readRules(rules, [
    ...tools,
    ...SOMETIMES.filter(({ name }) => tools.every((tool) => tool.name !== name)),
  ]);
  if (!('problems' in read)) return read;
  const problems = read.problems.map((problem) => `permissions.${problem}`);
  throw new KitError('kit/bad-options', `createAgent cannot use these options: ${problems.join('; ')}`, { problems });
}
