// What an agent is made of, as its author says it. Options of an unknown name are refused, with the nearest known one.

import type {
  Asker,
  CompactionBy,
  CompactionPolicy,
  ContextSource,
  ImageFitter,
  Lasting,
  TurnLimits,
  Mode,
  ProjectGrants,
  RetryPolicy,
  RewriteNotice,
  Rule,
  Runtime,
  SubagentLimits,
  Surroundings,
  Tool,
  Warm,
} from '@tidemark/agent';
import { nearestName } from '@tidemark/agent';
import type { Log, PaddingSetting, RenderParameters } from '@tidemark/log';
import type { Provider } from '@tidemark/model';
import type { SkillsOptions } from '@tidemark/tools-skills';
import type { McpHttpServer, McpOptions, McpTools, StdioServer } from '@tidemark/tools-mcp';
import { isServerName } from '@tidemark/tools-mcp';
import { z } from 'zod';
import { KitError } from './kit-error.ts';
import type { ProviderName } from './providers.ts';
import { isProviderName, PROVIDERS } from './providers.ts';

/** Names and values of an environment, as `process.env` has them. */
export type AgentEnvironment = Readonly<Record<string, string | undefined>>;

/** What an agent is made of. Only `model` must be said; nothing is read from the environment unless it is given here. */
export interface AgentOptions {
  /** A model of the catalog, by any name it has there: `claude-sonnet-5-5`, `gpt-6.1-sol`, `anthropic/claude-sonnet-5.5`. */
  readonly model: string;
  /**
   * Whom to ask: by default the model's maker, for a router's name (with a slash) OpenRouter. `compatible` is a server that
   * speaks OpenAI's Chat Completions (Ollama, vLLM, llama.cpp), with its `baseURL` and the model's `window`. Or a provider
   * of the author's own.
   */
  readonly provider?: ProviderName | Provider;
  /** The provider's key. Without it its variable in `environment`: `ANTHROPIC_API_KEY`, `OPENAI_API_KEY`, `OPENROUTER_API_KEY`. */
  readonly apiKey?: string;
  /** Where the provider listens, as its SDK has it: Anthropic without the `/v1`, the others with it. */
  readonly baseURL?: string;
  /**
   * How OpenAI is reached. Default: `http`. `auto`: the calls of a session over a WebSocket, where each goes on from the
   * answer before with what is new alone; all others over HTTP, and so what nothing arrived of. No other provider has it.
   */
  readonly transport?: 'http' | 'auto';
  /** Tokens of input and output together, for a model that no catalog knows. Its caching and prices are unknown. */
  readonly window?: number;
  /** Where sessions are kept: in memory unless a folder or a store is named. */
  readonly store?: 'memory' | { readonly home: string } | Log;
  /** The folder that the agent works in. Without one it has no tools of its own, and the current folder is recorded. */
  readonly workspace?: string;
  /**
   * The user trusts the workspace: its memory files (`.tidemark/MEMORY.md`, `USER.md`) stand in the context as notes, and
   * `memory_update` writes them. By default nothing of it is put before the model unasked.
   */
  readonly trusted?: boolean;
  /** The agent's own system text, behind the runtime's. */
  readonly role?: string;
  /**
   * How much the runtime's own text holds. `minimal`: how to find instructions, read notes and read checkpoints. `brief`: at most
   * 150 tokens on notes and checkpoints. By default `full` with a workspace or skills, else `brief`.
   */
  readonly runtime?: 'full' | 'minimal' | 'brief';
  /**
   * Whether a front below the model's floor is padded until it can be cached; `auto`: where that is expected to pay. By default
   * `never` with the `brief` text, since the guide that it pads with is about work in a folder, else `auto`.
   */
  readonly padding?: PaddingSetting;
  /** Other sessions that are expected on this agent's front within five minutes: `auto` counts them. Default: none. */
  readonly neighbours?: number;
  /**
   * Whether old tool results are shortened. `auto`, the default: those that were superseded, and in a window that is half full those
   * that nothing used in the latest turns, where that pays. Each can be read back.
   */
  readonly pruning?: 'auto' | 'never';
  /** Own tools, beside those that `builtIn` leaves. */
  readonly tools?: readonly Tool[];
  /** The workspace's tools: all where there is a workspace, none, or those named. */
  readonly builtIn?: boolean | readonly string[];
  /** With the tool `plan`, which needs no workspace: what it is told outlives a compaction. */
  readonly plan?: boolean;
  /**
   * MCP servers, whose tools come beside the others: started with the first session. Name only what the user named, never
   * what a workspace asks for. Or tools made by `createMcpTools`, which several agents may share and their maker closes.
   */
  readonly mcp?: Mcp | McpTools;
  readonly permissions?: Permissions;
  /** What one turn may take. */
  readonly limits?: TurnLimits;
  /**
   * The size from which a step that pays again for what was sent before is reported first, and in mode `ask` asked about.
   * Default: 50,000 tokens or $0.20; `{}` is never.
   */
  readonly rewriteNotice?: RewriteNotice;
  /** Changes to the catalog of models: `{ revision: 1, rows: [{ provider, model, ...fields }] }`. */
  readonly catalog?: unknown;
  /** Own context sources, behind the usual ones. */
  readonly sources?: readonly ContextSource[];
  /**
   * Skills: folders with a SKILL.md, listed in a note, found and loaded by `skill_search` and `skill_load`. By default there are
   * none; where none is installed there is no tool. Only folders that the user trusts: `skillRoots` names the usual ones.
   */
  readonly skills?: SkillsOptions;
  /**
   * Who makes images fit to be sent, once, before they are kept: scaled to what the model is shown, upright, within the bytes
   * that providers take. Default: the usual one (sharp, loaded with the first image); `as-given` looks into none.
   */
  readonly images?: ImageFitter | 'as-given';
  /**
   * With the tool `agent`: the model has subagents do a task each, in a session of their own, with the same tools and
   * permissions, within these limits; `{}` is the usual ones (four at once, 32 in all, none of a subagent's own). Off unless
   * said.
   */
  readonly subagents?: SubagentLimits | false;
  /** `attach` puts the workspace's AGENTS.md into a note; by default the agent finds it with its tools. */
  readonly instructions?: 'discover' | 'attach';
  /** Sees each body before it goes out; it gets a copy. */
  readonly onRequest?: (body: Uint8Array) => void;
  /** Settings of the model that enter its cache key: `{ thinking: … }`, in the provider's own words. */
  readonly parameters?: RenderParameters;
  /** Most tokens of one answer: 32,000, or what the model has. */
  readonly outputLimit?: number;
  /** Token budgets of the window, where the usual ones are not wanted: kept free, most of a plan, warning, tail kept. */
  readonly budgets?: NonNullable<Runtime['budgets']>;
  /**
   * Who may compact the history. `preflight` by default: the runtime too, where the next request is near the window's end,
   * a turn that begins is expected to get there, or a request was refused as too long. `auto`: from a lower budget on. `manual`: only `session.compact()`, without any way round it.
   */
  readonly compaction?: CompactionPolicy;
  /**
   * Who writes checkpoints. `auto`, the default: the model, where it reads the history from the cache, else the log alone. `model`:
   * the model, at any price. `deterministic`: the log alone. Where the model fails, the log writes the checkpoint alone. The call is
   * a side call of its turn: its price counts toward the limit of the turn.
   */
  readonly compactionBy?: CompactionBy;
  /** How long cached prefixes are asked to live. Default: `auto`, by the pauses that the session has shown. */
  readonly ttl?: Lasting;
  /**
   * Whether what is cached is kept warm while a session is open and nobody prompts: `auto` where that is known to be the
   * cheaper way, `{ share: 0.1 }` wherever it is expected to pay, for at most this share of the session's cost, or `off`.
   */
  readonly warm?: Warm;
  readonly betas?: readonly string[];
  /** How failures that may pass are tried again. */
  readonly retry?: Partial<RetryPolicy>;
  /** Where the key is looked for, what is masked as a secret, and what commands are given (never what is secret). */
  readonly environment?: AgentEnvironment;
  /**
   * What sandboxed commands may reach: `network: 'on'` gives each of them the network of this machine, its services included;
   * by default a call that needs the network asks for it.
   */
  readonly sandbox?: SandboxSetting;
  /** Paths that no tool touches, beside the agent's own home. */
  readonly forbidden?: readonly string[];
  /**
   * Paths in the workspace that file tools ask about and that sandboxed commands may not change, such as the script of an MCP
   * server. A folder stands for all that is below it.
   */
  readonly protectedPaths?: readonly string[];
  /** Where the prompts come from, recorded with each. Default: `library`. */
  readonly presenter?: string;
  /** Time, chance and names: a test gives its own. */
  readonly surroundings?: Surroundings;
}

/** The bounds of sandboxed commands. */
export interface SandboxSetting {
  /** `off` by default. */
  readonly network?: 'off' | 'on';
}

/** The MCP servers, by name, and how long the first request waits for them: `waitMs`, by default 5,000. */
export type Mcp = Pick<McpOptions, 'servers' | 'waitMs' | 'approvals'>;

/** Who may do what. */
export interface Permissions {
  /** `ask` where somebody can be asked, else `read-only`. An open session keeps its own, or the narrower one. */
  readonly mode?: Mode;
  /** Whom to ask. */
  readonly ask?: Asker;
  /** What is allowed, asked or denied beyond the mode, by tool, command, path or host. `deny` beats `ask` beats `allow`. */
  readonly rules?: readonly Rule[];
  /** Grants of the workspace that hold in each of its sessions, kept outside of it. Without it, a grant lasts as long as its session. */
  readonly grants?: ProjectGrants;
  /** In mode `auto` commands run unasked even where no sandbox holds them. */
  readonly unconfined?: boolean;
}

const anyObject = z.custom<object>((value) => typeof value === 'object' && value !== null, 'expected an object');
const anyFunction = z.custom<() => unknown>((value) => typeof value === 'function', 'expected a function');
const isGrants = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && 'kept' in value && 'keep' in value;
const words = z.string().min(1, 'expected some text');
const amount = z.number().positive();
const count = z.int().min(0);
const dollars = z.string().regex(/^\d+(\.\d+)?$/, 'expected US dollars as decimal text, such as "0.50"');
const providerName = z.custom<ProviderName>((value) => typeof value === 'string' && isProviderName(value));

const effectClass = z.enum(['none', 'read', 'write', 'execute', 'network']);
const serverTerms = {
  effect: z.union([effectClass, z.record(z.string(), effectClass)]).optional(),
  timeoutMs: amount.optional(),
};
const stdioServer = z.strictObject({
  command: words,
  args: z.array(z.string()).readonly().optional(),
  env: z.record(z.string(), z.string()).optional(),
  cwd: words.optional(),
  ...serverTerms,
} satisfies OptionSchemas<StdioServer>);
const httpServer = z.strictObject({
  url: z.url({ protocol: /^https?$/ }),
  headers: z.record(z.string(), z.string()).optional(),
  ...serverTerms,
} satisfies OptionSchemas<McpHttpServer>);
const mcp = z.strictObject({
  servers: z.record(
    z.string().refine(isServerName, 'a server is called by 1 to 32 letters, digits, "-", or single "_" between them'),
    anyObject,
  ),
  waitMs: z.number().min(0).optional(),
  approvals: anyObject.optional(),
} satisfies OptionSchemas<Mcp>);

const limits = {
  steps: amount.int().optional(),
  ms: amount.optional(),
  tokens: amount.int().optional(),
  cost: dollars.optional(),
} satisfies OptionSchemas<TurnLimits>;
const subagents = z.strictObject({
  ...limits,
  parallel: amount.int().optional(),
  total: amount.int().optional(),
  depth: amount.int().optional(),
} satisfies OptionSchemas<SubagentLimits>);

const optionsSchema = z.strictObject({
  model: words,
  provider: z
    .union([providerName, anyObject], `expected one of ${Object.keys(PROVIDERS).join(', ')}, or a provider`)
    .optional(),
  apiKey: words.optional(),
  baseURL: z.url({ protocol: /^https?$/ }).optional(),
  transport: z.enum(['http', 'auto']).optional(),
  window: amount.int().optional(),
  store: z.union([z.literal('memory'), anyObject], 'expected "memory", { home } or a store').optional(),
  workspace: words.optional(),
  trusted: z.boolean().optional(),
  role: z.string().optional(),
  runtime: z.enum(['full', 'minimal', 'brief']).optional(),
  padding: z.enum(['auto', 'always', 'never']).optional(),
  pruning: z.enum(['auto', 'never']).optional(),
  neighbours: z.int().min(0).optional(),
  tools: z.array(anyObject).readonly().optional(),
  builtIn: z.union([z.boolean(), z.array(z.string()).readonly()], 'expected true, false or names of tools').optional(),
  plan: z.boolean().optional(),
  mcp: anyObject.optional(),
  permissions: z
    .strictObject({
      mode: z.enum(['read-only', 'ask', 'auto']).optional(),
      ask: anyFunction.optional(),
      // Their own door says what is wrong with them.
      rules: z.array(z.unknown()).readonly().optional(),
      grants: z.custom<ProjectGrants>(isGrants, 'expected { kept, keep }').optional(),
      unconfined: z.boolean().optional(),
    } satisfies OptionSchemas<Permissions>)
    .optional(),
  limits: z.strictObject(limits).optional(),
  rewriteNotice: z
    .strictObject({ tokens: amount.int().optional(), cost: dollars.optional() } satisfies OptionSchemas<RewriteNotice>)
    .optional(),
  catalog: z.unknown().optional(),
  sources: z.array(anyObject).readonly().optional(),
  skills: z
    .strictObject({
      roots: z.array(z.strictObject({ folder: words, source: words })).readonly(),
      budget: z
        .strictObject({ skills: count.optional(), warning: count.optional(), most: count.optional() })
        .optional(),
    } satisfies OptionSchemas<SkillsOptions>)
    .optional(),
  images: z.union([z.literal('as-given'), anyObject], 'expected "as-given" or an ImageFitter').optional(),
  subagents: z.union([z.literal(false), anyObject], 'expected false or limits, such as { parallel: 4 }').optional(),
  instructions: z.enum(['discover', 'attach']).optional(),
  onRequest: anyFunction.optional(),
  parameters: z.record(z.string(), z.unknown()).optional(),
  outputLimit: amount.int().optional(),
  budgets: z
    .strictObject({
      reserve: amount.int().optional(),
      hard: amount.int().optional(),
      soft: amount.int().optional(),
      tail: amount.int().optional(),
    } satisfies OptionSchemas<NonNullable<Runtime['budgets']>>)
    .optional(),
  compaction: z.enum(['manual', 'preflight', 'auto']).optional(),
  compactionBy: z.enum(['auto', 'deterministic', 'model']).optional(),
  ttl: z.enum(['auto', '5m', '1h']).optional(),
  warm: z
    .union(
      [z.enum(['off', 'auto']), z.strictObject({ share: z.number().min(0) })],
      'expected "off", "auto" or { share }',
    )
    .optional(),
  betas: z.array(words).readonly().optional(),
  retry: z
    .strictObject({
      attempts: amount.int().optional(),
      firstMs: z.number().min(0).optional(),
      mostMs: z.number().min(0).optional(),
      longestMs: z.number().min(0).optional(),
    } satisfies OptionSchemas<RetryPolicy>)
    .optional(),
  environment: anyObject.optional(),
  sandbox: z
    .strictObject({ network: z.enum(['off', 'on']).optional() } satisfies OptionSchemas<SandboxSetting>)
    .optional(),
  forbidden: z.array(words).readonly().optional(),
  protectedPaths: z.array(words).readonly().optional(),
  presenter: words.optional(),
  surroundings: anyObject.optional(),
} satisfies OptionSchemas<AgentOptions>);

/** A schema for each field, and for no other. */
type OptionSchemas<Options> = { readonly [name in keyof Required<Options>]: z.ZodType };

/** Names of all options, by the place they stand at. */
const NAMES: ReadonlyMap<string, readonly string[]> = new Map([
  ['', Object.keys(optionsSchema.shape)],
  ['mcp', Object.keys(mcp.shape)],
  ['mcp.servers.*', [...Object.keys(stdioServer.shape), ...Object.keys(httpServer.shape)]],
  ['permissions', Object.keys(optionsSchema.shape.permissions.unwrap().shape)],
  ['limits', Object.keys(optionsSchema.shape.limits.unwrap().shape)],
  ['rewriteNotice', Object.keys(optionsSchema.shape.rewriteNotice.unwrap().shape)],
  ['budgets', Object.keys(optionsSchema.shape.budgets.unwrap().shape)],
  ['sandbox', Object.keys(optionsSchema.shape.sandbox.unwrap().shape)],
  ['skills', Object.keys(optionsSchema.shape.skills.unwrap().shape)],
  ['skills.budget', Object.keys(optionsSchema.shape.skills.unwrap().shape.budget.unwrap().shape)],
  ['subagents', Object.keys(subagents.shape)],
  ['retry', Object.keys(optionsSchema.shape.retry.unwrap().shape)],
]);

/**
 * Checks what an author gave.
 *
 * @throws KitError `kit/bad-options`, naming each option that is wrong; never its value, which may be a key.
 */
export function checkOptions(options: AgentOptions): void {
  const problems = [
    ...problemsIn(optionsSchema, options),
    ...problemsOfMcp(options.mcp),
    ...problemsOfSubagents(options.subagents),
  ];
  if (problems.length === 0) return;
  const message = `createAgent cannot use these options: ${problems.join('; ')}`;
  throw new KitError('kit/bad-options', message, { problems });
}

/** Each by its own schema: a union would not say which of its branches was meant. */
function problemsOfMcp(given: AgentOptions['mcp']): readonly string[] {
  if (typeof given !== 'object' || given === null || 'offer' in given) return [];
  const problems = problemsIn(mcp, given, ['mcp']);
  if (problems.length > 0) return problems;
  return Object.entries(given.servers).flatMap(([name, server]) =>
    problemsIn('url' in server ? httpServer : stdioServer, server, ['mcp', 'servers', name]),
  );
}

function problemsOfSubagents(given: AgentOptions['subagents']): readonly string[] {
  return typeof given === 'object' ? problemsIn(subagents, given, ['subagents']) : [];
}

function problemsIn(schema: z.ZodType, given: unknown, at: readonly string[] = []): readonly string[] {
  return schema.safeParse(given).error?.issues.flatMap((issue) => problemsOf(issue, at)) ?? [];
}

function problemsOf(issue: z.core.$ZodIssue, at: readonly string[]): readonly string[] {
  const place = [...at, ...issue.path].join('.');
  if (issue.code === 'invalid_key') return issue.issues.map(({ message }) => `${place}: ${message}`);
  if (issue.code !== 'unrecognized_keys') return [`${place || 'options'}: ${issue.message}`];
  return issue.keys.map((key) => {
    const name = place === '' ? key : `${place}.${key}`;
    const nearest = nearestName(key, NAMES.get(place.replace(/^(mcp\.servers)\..*$/, '$1.*')) ?? []);
    return nearest === undefined
      ? `there is no option ${name}`
      : `there is no option ${name}, did you mean ${nearest}?`;
  });
}
