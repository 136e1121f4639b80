// From what an author said to what a session is run with: nothing is left open.

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
import {
  createLaterWatch,
  environmentSource,
  instructionsSource,
  memorySource,
  workspaceSource,
} from '@tidemark/tools-workspace';
import type { AgentOptions } from './agent-options.ts';
import { chooseProvider } from './choose-provider.ts';
import { chooseTools, forbiddenTo } from './choose-tools.ts';
import { OUTPUT_LIMIT } from './find-capabilities.ts';
import { KitError } from './kit-error.ts';
import { withOwnNames } from './with-skills.ts';

/** An agent with nothing left open. */
export interface ResolvedAgent {
  readonly log: Log;
  readonly runtime: Runtime;
  /** Absolute. */
  readonly workspace: string;
  /** Of a new session. */
  readonly firstMode: Mode;
  readonly secrets: Secrets;
  /** Where its skills are, if it has any. */
  readonly skills?: InstalledSkills;
  /** The tools of the servers. */
  readonly mcp: McpTools | undefined;
}

/** @throws KitError `kit/no-key`, `kit/unknown-model`, `kit/bad-options`. */
export function resolveAgent(options: AgentOptions): ResolvedAgent {
  const { permissions = {} } = options;
  const mcp = mcpOf(options);
  const secrets = secretsIn(options);
  return {
    log: openStore(options.store),
    runtime: runtimeOf(options, mcp),
    mcp,
    workspace: resolve(options.workspace ?? '.'),
    firstMode: permissions.mode ?? (permissions.ask === undefined ? 'read-only' : 'ask'),
    secrets,
    ...(options.skills !== undefined && {
      skills: createSkillShelf(options.skills, { mask: secrets.mask, workspace: resolve(options.workspace ?? '.') }),
    }),
  };
}

function runtimeOf(options: AgentOptions, mcp: McpTools | undefined): Runtime {
  const { role, neighbours, permissions = {}, onRequest, rewriteNotice, budgets, subagents = false } = options;
  const { surroundings = THIS_MACHINE } = options;
  const { provider, capabilities } = chooseProvider(options);
  const tools = chooseTools(options);
  const { runtime: text = hasFolder(options) ? 'full' : 'brief' } = options;
  return {
    provider,
    capabilities,
    parameters: options.parameters ?? {},
    tools,
    sources: withOwnNames([...sourcesOf(options), ...(mcp?.sources ?? [])]),
    limits: options.limits ?? {},
    retry: { ...RETRY, ...options.retry },
    outputLimit: Math.min(options.outputLimit ?? OUTPUT_LIMIT, capabilities.outputLimit),
    compactionBy: options.compactionBy ?? 'auto',
    ttl: options.ttl ?? 'auto',
    warm: options.warm ?? 'auto',
    envelope: {},
    betas: options.betas ?? [],
    promptVerbosity: text,
    // The guide that pads a front is about work in a folder.
    padding: options.padding ?? (text === 'brief' ? 'never' : 'auto'),
    pruning: options.pruning ?? 'auto',
    unconfined: permissions.unconfined ?? false,
    surroundings,
    gate: createCacheWriteGate(() => surroundings.elapsed()),
    ...imagesOf(options),
    ...defined({
      watch: options.workspace === undefined ? undefined : watchOf(options.workspace, options),
      toolSources: mcp === undefined ? undefined : [mcp],
      // Unsaid, a resumed turn keeps the policy that it was begun with.
      compaction: options.compaction,
      role,
      neighbours,
      ask: permissions.ask,
      grants: permissions.grants,
      rules: permissions.rules === undefined ? undefined : chooseRules(permissions.rules, tools),
      onRequest,
      rewriteNotice,
      budgets,
    }),
    ...(subagents !== false && { subagents }),
  };
}

function watchOf(workspace: string, { environment }: AgentOptions): TurnWatch {
  return createLaterWatch({ folder: resolve(workspace), home: environment?.['HOME'] ?? homedir(), environment });
}

/** Memory needs a workspace too. Without any of them the rules on files, project instructions and skills are about nothing. */
function hasFolder({ workspace, skills }: AgentOptions): boolean {
  return workspace !== undefined || skills !== undefined;
}

function imagesOf({ images = createImageFitter() }: AgentOptions): { readonly images?: ImageFitter } {
  return images === 'as-given' ? {} : { images };
}

/** What was taken of tools is kept where sessions are. */
function mcpOf({ mcp, store, surroundings = THIS_MACHINE }: AgentOptions): McpTools | undefined {
  if (mcp === undefined || 'offer' in mcp) return mcp;
  const home = typeof store === 'object' && 'home' in store ? store.home : undefined;
  const kept = home === undefined ? {} : { approvals: openApprovals(join(home, 'mcp-tools.json')) };
  return createMcpTools({ surroundings, ...kept, ...mcp });
}

function openStore(store: AgentOptions['store'] = 'memory'): Log {
  if (store === 'memory') return createMemoryStore();
  return 'read' in store ? store : openNdjsonStore(store);
}

/** The key is a secret wherever it came from; what else is given is one by the name of its variable or header. */
function secretsIn({ apiKey, environment = {}, mcp }: AgentOptions): Secrets {
  const given = secretsOf(defined({ API_KEY: apiKey }));
  const ofServers = Object.values(mcp !== undefined && 'servers' in mcp ? mcp.servers : {}).flatMap((server) =>
    secretsOf(('command' in server ? server.env : server.headers) ?? {}),
  );
  return createSecrets({ values: [...secretsOf(environment), ...ofServers, ...given] });
}

/** Without a workspace there is nothing to say of one. */
function sourcesOf(options: AgentOptions): readonly ContextSource[] {
  const { workspace, trusted = false, instructions, permissions, sources = [] } = options;
  const mode = permissionModeSource({ unconfined: permissions?.unconfined ?? false });
  if (workspace === undefined) return [mode, ...sources];
  const found = instructionsSource({ instructions: instructions ?? 'discover' });
  const memory = trusted ? [memorySource({ folder: resolve(workspace), forbidden: forbiddenTo(options) })] : [];
  return [workspaceSource(), environmentSource(), mode, found, ...memory, ...sources];
}

// The rules of an agent, read against its tools: one that cannot be understood stops here.

/** Tools that an agent may have or not: a rule on one that is not there is no slip, and waits. */
const SOMETIMES: readonly RuledTool[] = ['memory_update', 'plan', 'skill_search', 'skill_load', 'agent'].map(
  (name) => ({
    name,
  }),
);

/** @throws KitError `kit/bad-options`, naming each rule that is wrong and what to write instead. */
function chooseRules(rules: readonly Rule[], tools: readonly Tool[]): RuleSet {
  const read = readRules(rules, [
    ...tools,
    ...SOMETIMES.filter(({ name }) => tools.every((tool) => tool.name !== name)),
  ]);
  if (!('problems' in read)) return read;
  const problems = read.problems.map((problem) => `permissions.${problem}`);
  throw new KitError('kit/bad-options', `createAgent cannot use these options: ${problems.join('; ')}`, { problems });
}
