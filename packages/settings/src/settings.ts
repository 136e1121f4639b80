// Defines the settings and the form of their values. A setting is defined here only if it has an effect. A key is not a
// setting (see `keyring.ts`).

import type { CompactionBy, CompactionPolicy, Lasting, Mode, RewriteNotice, Rule, SkillBudget } from '@tidemark/agent';
import { z } from 'zod';

import type { CommandSettings } from './command-settings.ts';
import { commandSettings, variablesBrought } from './command-settings.ts';
import type { HeaderSettings } from './headers.ts';
import { headerSettings } from './headers.ts';
import type { HookSetting } from './hook-settings.ts';
import { hookSettings, hooksInSandbox } from './hook-settings.ts';
import type { ServerSetting } from './server-settings.ts';
import { mcpSettings, serversRunIn } from './server-settings.ts';
import { address, budget, count, dollars, words } from './setting-values.ts';
import type { WebSettings } from './web-settings.ts';
import { webSettings } from './web-settings.ts';

/** Settings that were set in any source. If a setting is absent, it has its default value. */
export interface Settings {
  readonly model?: string | undefined;
  /** One of the provider names passed to `readSettings`, or `simulator`. */
  readonly provider?: string | undefined;
  /**
   * Base URL by the name of a provider. A URL belongs to one provider. Therefore the key of another provider is never
   * sent to it.
   */
  readonly baseUrl?: Readonly<Record<string, string | undefined>> | undefined;
  /**
   * `headers`: additional headers of requests, by the origin of the address that receives them. Only the user's own
   * settings may set them.
   */
  readonly connection?: { readonly headers?: HeaderSettings | undefined } | undefined;
  /** Reasoning effort of a new session. It has no effect on a model that does not have the value. */
  readonly effort?: string | undefined;
  /** Own agent of a new session. An existing session keeps its own. */
  readonly agent?: string | undefined;
  /** Permission mode of a new session. */
  readonly mode?: Mode | undefined;
  /** Use of the provider's cache. The fields have the same names as the options of `createAgent`. */
  readonly cache?: CacheSettings | undefined;
  /** Compaction and pruning of a long history. The fields have the same names as the options of `createAgent`. */
  readonly compaction?: CompactionSettings | undefined;
  /** Limits of one turn. The fields have the same names as the options of `createAgent`. */
  readonly limits?: LimitSettings | undefined;
  /**
   * `discover`: the model reads AGENTS.md files with its tools. `attach`: the text of the AGENTS.md files of the
   * workspace and of the user is put into a note. Default: `attach` in a trusted workspace, otherwise `discover`.
   */
  readonly agentsFile?: 'discover' | 'attach' | undefined;
  /** Limits of the skills that are loaded into the context. */
  readonly skillBudget?: { readonly [name in keyof SkillBudget]?: SkillBudget[name] | undefined } | undefined;
  /** Limits of the subagents of a session. With `false`, a session starts no subagents. */
  readonly subagents?: SubagentSettings | false | undefined;
  /**
   * MCP servers by name. The servers of all sources are used together. If two servers have the same name, that of the
   * nearest source is used.
   */
  readonly mcp?:
    | {
        readonly servers?: Readonly<Record<string, ServerSetting>> | undefined;
        /** Maximum size of the servers' tools in the list of tools, in estimated tokens. */
        readonly toolBudget?: number | undefined;
      }
    | undefined;
  /**
   * Permission rules. The rules of all sources apply together: `deny` overrides `ask`, and `ask` overrides `allow`.
   * Rules of a workspace may only ask and deny.
   */
  readonly permissions?: { readonly rules?: readonly Rule[] | undefined } | undefined;
  /**
   * Programs that are asked about calls, prompts and turns. The hooks of all sources apply together. Those of a workspace
   * run in the sandbox.
   */
  readonly hooks?: readonly HookSetting[] | undefined;
  /**
   * Folders in which skills are searched for after the usual folders. Each path is absolute or begins with `~/`. Only
   * the user's own settings may set this field.
   */
  readonly skillRoots?: readonly string[] | undefined;
  /** Folders in which own agents are searched for after the usual folders, in the same form as `skillRoots`. */
  readonly agentRoots?: readonly string[] | undefined;
  /**
   * True, the default, if sessions have the tool `plan`. An existing session without it gets it with its next epoch, or
   * as an appended tool.
   */
  readonly plan?: boolean | undefined;
  /** True if the memory of a trusted workspace is used. Default: true. */
  readonly memory?: boolean | undefined;
  /** Network access of sandboxed commands. A workspace may only turn it off. */
  readonly sandbox?: { readonly network?: 'off' | 'on' | undefined } | undefined;
  readonly commands?: CommandSettings | undefined;
  /** Maximum number of background processes of a session that run at the same time. With 0 there are none. Default: 8. */
  readonly backgroundProcesses?: number | undefined;
  /** Tools for the web. */
  readonly web?: WebSettings | undefined;
  readonly display?: Display | undefined;
}

/** Limits of one turn. `maxCost` is in US dollars, as decimal text. */
export interface LimitSettings {
  readonly maxCost?: string | undefined;
  readonly maxSteps?: number | undefined;
  readonly maxTokens?: number | undefined;
}

/**
 * Model and limits of each subagent, and limits of all subagents of a session. `maxCost` is in US dollars, as decimal
 * text.
 */
export interface SubagentSettings {
  /** Model of subagents whose own agent names none. Default: the model of the session. */
  readonly model?: string;
  readonly parallel?: number;
  readonly total?: number;
  readonly depth?: number;
  readonly maxSteps?: number;
  readonly maxDurationMs?: number;
  readonly maxTokens?: number;
  readonly maxCost?: string;
}

/**
 * Settings of the provider's cache: the lifetime of entries, the padding of a short front, and the threshold for the
 * notice before content is paid for again.
 */
export interface CacheSettings {
  readonly ttl?: Lasting | undefined;
  readonly padding?: 'auto' | 'always' | 'never' | undefined;
  readonly rewriteNotice?: { readonly [name in keyof RewriteNotice]: RewriteNotice[name] | undefined } | undefined;
}

/**
 * Settings of compaction and pruning: the policy for starting a compaction, the writer of checkpoints, and the pruning
 * of old tool results.
 */
export interface CompactionSettings {
  readonly when?: CompactionPolicy | undefined;
  readonly by?: CompactionBy | undefined;
  readonly pruning?: 'auto' | 'never' | undefined;
}

/** Settings of the display. A workspace may set only these settings without trust. */
export interface Display {
  readonly colour?: 'auto' | 'always' | 'never' | undefined;
  /** Width of a command's help text, in columns. */
  readonly columns?: number | undefined;
  /** Alert of the interactive terminal when a turn ends or a question waits: the bell, a notification, or none. */
  readonly notify?: 'bell' | 'osc9' | 'off' | undefined;
  /** Colours of the interactive terminal: for a dark background, for a light one, or none. */
  readonly theme?: 'dark' | 'light' | 'none' | undefined;
}

/** Returns true for a setting whose value joins the values of all sources. */
export function isJoined(name: string): boolean {
  return ['permissions.rules', 'commands.variables', 'hooks', 'mcp.servers'].includes(name);
}

/**
 * Returns the part of a value that a trusted workspace may set. If it may set no part, returns `undefined`. Rules that
 * allow are removed, because a workspace may only narrow permissions. For each server that a command starts, its folder
 * becomes absolute. The server must run in the folder in which its named files were found for the digest. A hook runs in
 * the sandbox.
 */
export function broughtValue(name: string, value: unknown, workspace: string): unknown {
  if (isOwnOnly(name) || (name === 'sandbox.network' && value !== 'off')) return undefined;
  if (name === 'commands.variables') return variablesBrought(value);
  if (name === 'mcp.servers') return serversRunIn(workspace, value);
  if (name === 'hooks') return hooksInSandbox(value);
  if (name !== 'permissions.rules' || !Array.isArray(value)) return value;
  const narrowing: readonly unknown[] = value.filter(
    (rule: unknown) => ruleSchema.safeParse(rule).data?.decision !== 'allow',
  );
  return narrowing.length === 0 ? undefined : narrowing;
}

/** Returns true for a rule that allows tools whose names begin with the prefix. */
export function isAllowRule(rule: unknown, prefix: string): boolean {
  const read = ruleSchema.safeParse(rule).data;
  return read?.decision === 'allow' && read.tool.startsWith(prefix);
}

/** Returns true for a setting that no workspace may set, even with trust. */
export function isOwnOnly(name: string): boolean {
  return OWN_ONLY.includes(name);
}

const OWN_ONLY: readonly string[] = [
  'skillRoots',
  'agentRoots',
  'connection.headers',
  'commands.secretVariables',
  'web.allowPrivate',
  'web.searchUrl',
];

/** Returns true for a setting that an untrusted workspace may set. */
export function isDisplay(name: string): boolean {
  return name.startsWith('display.');
}

const patterns = z.array(z.string().min(1)).min(1).exactOptional();
/**
 * Schema of a rule. It checks only the form of the rule. The agent checks the content of the rule against the available
 * tools.
 */
const ruleSchema = z.strictObject(
  { decision: z.enum(['allow', 'ask', 'deny']), tool: words, commands: patterns, paths: patterns, hosts: patterns },
  'expected { decision, tool } with commands, paths or hosts',
);
const root = z
  .string()
  .max(4_096)
  .regex(/^(\/|~\/)/, 'expected an absolute path, or a path that begins with ~/');

const subagents = z.union(
  [
    z.literal(false),
    z.strictObject({
      model: words.exactOptional(),
      parallel: count.exactOptional(),
      total: count.exactOptional(),
      depth: count.exactOptional(),
      maxSteps: count.exactOptional(),
      maxDurationMs: count.exactOptional(),
      maxTokens: count.exactOptional(),
      maxCost: dollars.exactOptional(),
    } satisfies { readonly [name in keyof Required<SubagentSettings>]: z.ZodType }),
  ],
  'expected false, or { model, parallel, total, depth, maxSteps, maxDurationMs, maxTokens, maxCost }',
);

const compaction = z.strictObject(
  {
    when: z.enum(['manual', 'preflight', 'auto']).optional(),
    by: z.enum(['auto', 'deterministic', 'model']).optional(),
    pruning: z.enum(['auto', 'never']).optional(),
  },
  'expected { when, by, pruning }: to set the policy, use `compaction.when`',
);
const display = z.strictObject({
  colour: z.enum(['auto', 'always', 'never']).optional(),
  columns: z.int().min(20).max(1000).optional(),
  notify: z.enum(['bell', 'osc9', 'off']).optional(),
  theme: z.enum(['dark', 'light', 'none']).optional(),
});

/** Schema of the settings for the available providers. */
export type SettingsSchema = z.ZodType<Settings> & { readonly shape: SchemaShape };

type SchemaShape = Readonly<Record<string, z.ZodType>>;

/** Returns the schema of all settings, as a tree. */
export function settingsSchema(providers: readonly string[]): SettingsSchema {
  const addresses = Object.fromEntries(providers.map((name) => [name, address.optional()]));
  return z.strictObject({
    model: words.optional(),
    provider: z.enum([...providers, 'simulator']).optional(),
    baseUrl: z.strictObject(addresses).optional(),
    connection: z.strictObject({ headers: headerSettings.optional() }).optional(),
    effort: words.optional(),
    agent: words.optional(),
    mode: z.enum(['read-only', 'ask', 'accept-edits', 'auto']).optional(),
    cache: z
      .strictObject({
        ttl: z.enum(['auto', '5m', '1h']).optional(),
        padding: z.enum(['auto', 'always', 'never']).optional(),
        rewriteNotice: z.strictObject({ tokens: count.optional(), cost: dollars.optional() }).optional(),
      })
      .optional(),
    compaction: compaction.optional(),
    limits: z
      .strictObject({ maxCost: dollars.optional(), maxSteps: count.optional(), maxTokens: count.optional() })
      .optional(),
    agentsFile: z.enum(['discover', 'attach']).optional(),
    skillBudget: z
      .strictObject({ skills: budget.optional(), warning: budget.optional(), most: budget.optional() })
      .optional(),
    subagents: subagents.optional(),
    mcp: mcpSettings.optional(),
    permissions: z.strictObject({ rules: z.array(ruleSchema).max(1_000).optional() }).optional(),
    hooks: hookSettings.optional(),
    skillRoots: z.array(root).max(100).optional(),
    agentRoots: z.array(root).max(100).optional(),
    sandbox: z.strictObject({ network: z.enum(['off', 'on']).optional() }).optional(),
    commands: commandSettings.optional(),
    backgroundProcesses: z.int('expected a number from 0 to 64').min(0).max(64).optional(),
    plan: z.boolean().optional(),
    memory: z.boolean().optional(),
    web: webSettings.optional(),
    display: display.optional(),
  });
}

/** Returns the schemas of the single settings, by full name such as `limits.maxCost`. */
export function leavesOf({ shape }: { readonly shape: SchemaShape }, above = ''): ReadonlyMap<string, z.ZodType> {
  const leaves = new Map<string, z.ZodType>();
  for (const [key, schema] of Object.entries(shape)) {
    const inner = schema instanceof z.ZodOptional ? schema.unwrap() : schema;
    if (inner instanceof z.ZodObject) {
      for (const [name, leaf] of leavesOf(inner, `${above}${key}.`)) leaves.set(name, leaf);
    } else leaves.set(`${above}${key}`, schema);
  }
  return leaves;
}

/** New names of renamed settings, by the old name. */
export const RENAMED_SETTINGS: ReadonlyMap<string, string> = new Map([
  ['compactionBy', 'compaction.by'],
  ['pruning', 'compaction.pruning'],
  ['padding', 'cache.padding'],
  ['ttl', 'cache.ttl'],
  ['rewriteNotice', 'cache.rewriteNotice'],
  ['instructions', 'agentsFile'],
  ['limits.cost', 'limits.maxCost'],
  ['limits.steps', 'limits.maxSteps'],
  ['limits.tokens', 'limits.maxTokens'],
  ['subagents.steps', 'subagents.maxSteps'],
  ['subagents.ms', 'subagents.maxDurationMs'],
  ['subagents.cost', 'subagents.maxCost'],
  ['subagents.tokens', 'subagents.maxTokens'],
]);

/**
 * Defaults of the settings, as text for the user. The text has no effect, because the code that uses a setting decides
 * its default. If a setting is not listed, its default is that of its provider.
 */
const BY_DEFAULT: ReadonlyMap<string, string> = new Map(
  Object.entries({
    model: 'the newest Sonnet of the catalog',
    provider: 'the provider of the model',
    effort: 'the default of the provider',
    mode: 'ask at a terminal, otherwise read-only',
    'cache.ttl': 'auto',
    'cache.padding': 'auto',
    'cache.rewriteNotice.tokens': '50000 (or a cost of 0.20)',
    'cache.rewriteNotice.cost': '0.20 (or 50000 tokens)',
    'compaction.when': 'preflight',
    'compaction.by': 'auto',
    'compaction.pruning': 'auto',
    'limits.maxCost': 'none',
    'limits.maxSteps': 'none',
    'limits.maxTokens': 'none',
    agent: 'none',
    agentsFile: 'attach in a trusted folder, otherwise discover',
    'skillBudget.skills': '3',
    'skillBudget.warning': '10000',
    'skillBudget.most': '30000',
    'baseUrl.compatible': 'none',
    'connection.headers': 'none',
    subagents: '{"parallel":4,"total":32,"depth":1,"maxSteps":50,"maxDurationMs":600000}',
    'mcp.servers': 'none',
    'mcp.toolBudget': '20000',
    'permissions.rules': 'none',
    hooks: 'none',
    skillRoots: 'only the standard ones',
    agentRoots: 'only the standard ones',
    'sandbox.network': 'off: a command that needs the network asks',
    'commands.variables': 'only the usual ones, such as PATH and HOME',
    'commands.secretVariables': 'none',
    backgroundProcesses: '8',
    plan: 'true',
    memory: 'true in a trusted folder',
    'web.fetch': 'true',
    'web.allowPrivate': 'none: only public addresses',
    'web.search': 'off',
    'web.searchPrice': 'unknown',
    'web.searchUrl': 'the public address of the service',
    'display.colour': 'auto',
    'display.columns': 'the width of the terminal',
    'display.notify': 'bell',
    'display.theme': 'dark',
  }),
);

/** Returns the default of a setting, as text for the user. */
export function byDefault(name: string): string {
  return BY_DEFAULT.get(name) ?? "the provider's default";
}
