// Options of `createAgent`, as its author writes them. `check-options.ts` refuses what is not one of them.

import type {
  Asker,
  CompactionBy,
  CompactionPolicy,
  ContextSource,
  ImageFitter,
  Lasting,
  Mode,
  ProjectGrants,
  RetryPolicy,
  RewriteNotice,
  Rule,
  Runtime,
  SubagentLimits,
  Surroundings,
  Tool,
  TurnLimits,
  Warm,
} from '@tidemark/agent';
import type { Log, PaddingSetting, RenderParameters } from '@tidemark/log';
import type { Provider } from '@tidemark/model';
import type { McpOptions, McpTools } from '@tidemark/tools-mcp';
import type { SkillsOptions } from '@tidemark/tools-skills';
import type { ProviderName } from './providers.ts';

/** Options of an agent. Only `model` is required. Nothing is read from the environment unless `host.environment` holds it. */
export interface AgentOptions {
  /** Model of the catalog, by any of its names: `claude-sonnet-5-5`, `gpt-6.1-sol`, `anthropic/claude-sonnet-5.5`. */
  readonly model: string;
  /**
   * Provider that serves the model. Default: the model's maker, or OpenRouter for a name with a slash. `compatible` is a server
   * that speaks OpenAI's Chat Completions (Ollama, vLLM, llama.cpp); it needs `baseURL` and `modelOptions.contextWindow`. An
   * author can also pass a provider of their own.
   */
  readonly provider?: ProviderName | Provider;
  /** Key of the provider. Default: its variable in `host.environment`, such as `ANTHROPIC_API_KEY`. */
  readonly apiKey?: string;
  /** Address of the provider, as its SDK takes it: Anthropic's without `/v1`, the others with it. */
  readonly baseURL?: string;
  /** How requests are sent. */
  readonly connection?: ConnectionOptions;
  /** Settings of the model. */
  readonly modelOptions?: ModelOptions;
  /** Maximum number of tokens in one answer. Default: 32,000, or the model's own maximum if that is lower. */
  readonly maxOutputTokens?: number;
  /** System text of the agent. It follows the system text of the runtime. */
  readonly instructions?: string;
  /** Tools of the author, in addition to those of the workspace. */
  readonly tools?: readonly Tool[];
  /** Folder that the agent works in, with its tools for files and commands. Default: none, and the agent has no such tools. */
  readonly workspace?: string | WorkspaceSetup;
  /**
   * MCP servers, whose tools are added to the others. The servers start with the first session. Pass only servers that the
   * user named, never servers that a workspace asks for. Tools made by `createMcpTools` can be shared by several agents, and
   * their author closes them.
   */
  readonly mcp?: Mcp | McpTools;
  /**
   * Folders of skills (each with a SKILL.md). A note lists the skills, and `skill_search` and `skill_load` find and load them.
   * Default: none. Pass only folders that the user trusts; `skillRoots` returns the usual ones.
   */
  readonly skills?: SkillsOptions;
  /**
   * Adds the tool `agent`, with which the model starts subagents. Each subagent works in a session of its own with the same
   * tools and permissions, within these limits. `{}` has the default limits: 4 at once, 32 in all, one level deep. Default:
   * `false`.
   */
  readonly subagents?: SubagentLimits | false;
  /** What the agent may do, and who is asked. */
  readonly permissions?: Permissions;
  /** Limits of one turn. */
  readonly limits?: TurnLimits;
  /** Where sessions are stored. Default: `memory`. `{ home }` stores them in a folder. */
  readonly store?: 'memory' | { readonly home: string } | Log;
  /** How the provider's cache is used. */
  readonly cache?: CacheOptions;
  /** How a long history is made shorter. */
  readonly compaction?: CompactionOptions;
  /** What else the context holds. */
  readonly context?: ContextOptions;
  /** What the agent takes from the process that runs it. */
  readonly host?: HostOptions;
}

/** How requests are sent to a provider. */
export interface ConnectionOptions {
  /**
   * Transport to OpenAI. Default: `http`. With `auto`, a session uses a WebSocket where it can and sends only what is new; all
   * other calls use HTTP. Other providers have HTTP only.
   */
  readonly transport?: 'http' | 'auto';
  /** How a failed request is sent again. */
  readonly retry?: Partial<RetryPolicy>;
  /** Receives a copy of each request body before it is sent. */
  readonly onRequest?: (body: Uint8Array) => void;
}

/** Settings of a model. */
export interface ModelOptions {
  /** Parameters that are part of the provider's cache key, in the provider's own names: `{ thinking: … }`. */
  readonly parameters?: RenderParameters;
  /** Tokens of input and output together, for a model that the catalog does not list. Its caching and prices are unknown. */
  readonly contextWindow?: number;
  /** Values of Anthropic's header `anthropic-beta`. */
  readonly betas?: readonly string[];
  /** Changes to the catalog of models: `{ revision: 1, rows: [{ provider, model, ...fields }] }`. */
  readonly catalog?: unknown;
}

/** A folder that the agent works in. */
export interface WorkspaceSetup {
  readonly folder: string;
  /** Tools of the workspace to offer: all, none, or those that are named. Default: all. */
  readonly tools?: boolean | readonly string[];
  /**
   * The user trusts the folder. Its memory files (`.tidemark/MEMORY.md` and `USER.md`) are then in the context as notes, and the
   * tool `memory_update` writes them. Default: false, and none of its files reaches the model unless a tool reads it.
   */
  readonly trusted?: boolean;
  /** `attach` puts the folder's AGENTS.md into a note. Default: `discover`, the model reads it with its tools. */
  readonly agentsFile?: 'discover' | 'attach';
  /** What sandboxed commands can reach. */
  readonly sandbox?: SandboxSetting;
  /** Paths that no tool may touch, in addition to the folder of the sessions. */
  readonly forbidden?: readonly string[];
  /**
   * Paths in the folder that a file tool asks about, and that sandboxed commands cannot change, such as the script of an MCP
   * server. A folder includes everything below it.
   */
  readonly protectedPaths?: readonly string[];
}

/** What sandboxed commands can reach. */
export interface SandboxSetting {
  /**
   * `on` gives every command the network of this machine, including its local services. Default: `off`, and a call that needs
   * the network asks for it.
   */
  readonly network?: 'off' | 'on';
}

/** MCP servers by name. `waitMs` is how long the first request waits for them. Default: 5,000. */
export type Mcp = Pick<McpOptions, 'servers' | 'waitMs' | 'approvals'>;

/** What an agent may do, and who is asked. */
export interface Permissions {
  /**
   * Mode of a new session. Default: `ask` if `ask` is given, else `read-only`. A session that is opened again keeps its own mode,
   * or this one if it is narrower.
   */
  readonly mode?: Mode;
  /** Asks a person about a call, and returns the answer. */
  readonly ask?: Asker;
  /** Calls that are allowed, asked about or denied whatever the mode is. `deny` wins over `ask`, and `ask` over `allow`. */
  readonly rules?: readonly Rule[];
  /** Grants that hold for every session of the workspace, stored outside of it. Without it a grant ends with its session. */
  readonly grants?: ProjectGrants;
  /** In mode `auto`, runs commands without asking even if no sandbox holds them. */
  readonly allowUnsandboxed?: boolean;
}

/** How the provider's cache is used. */
export interface CacheOptions {
  /** Lifetime that cached prefixes are asked to have. Default: `auto`, from the pauses of the session and the model's prices. */
  readonly ttl?: Lasting;
  /**
   * When a front below the model's minimum size for caching is padded. `auto` pads where that is expected to pay. Default:
   * `never` with the `brief` runtime instructions, because the padding is about work in a folder, else `auto`.
   */
  readonly padding?: PaddingSetting;
  /**
   * Keeps the cache warm while a session is open and no prompt arrives. `auto` does so where that is known to be cheaper.
   * `{ share: 0.1 }` does so wherever it is expected to pay, for at most that share of the session's cost. Default: `auto`.
   */
  readonly warm?: Warm;
  /** Other sessions that are expected to use this agent's front within five minutes. `auto` padding counts them. Default: 0. */
  readonly neighbours?: number;
  /**
   * Size from which a step that pays again for tokens sent before is reported before it is sent, and in mode `ask` asked about.
   * Default: 50,000 tokens or $0.20. `{}` never reports.
   */
  readonly rewriteNotice?: RewriteNotice;
}

/** How a long history is made shorter. */
export interface CompactionOptions {
  /**
   * When the history is compacted. `preflight`: when the next request nearly fills the window, when a new turn is expected to
   * fill it, or after a request was refused as too long. `auto`: earlier, from a lower budget on. `manual`: only by
   * `session.compact()`. Default: `preflight`.
   */
  readonly when?: CompactionPolicy;
  /**
   * Writer of checkpoints. `deterministic` makes them from the log alone. `model` asks the model at any price. `auto` asks the
   * model if it can read the history from the cache. If the model fails, the checkpoint is made from the log. The price of the
   * call counts toward the turn's limit. Default: `auto`.
   */
  readonly by?: CompactionBy;
  /** Token budgets of the window: `reserve` is kept free, `soft` warns, `hard` compacts, `tail` is the most that stays whole. */
  readonly budgets?: NonNullable<Runtime['budgets']>;
  /**
   * Shortens old tool results where that pays: superseded ones, and in a half-full window those that the latest turns did not
   * use. The model can read each one back. Default: `auto`.
   */
  readonly pruning?: 'auto' | 'never';
}

/** What else the context holds. */
export interface ContextOptions {
  /** Context sources of the author, after the usual ones. */
  readonly sources?: readonly ContextSource[];
  /**
   * Length of the runtime's own system text. `minimal` tells how to find instructions, read notes and read checkpoints. `brief`
   * has at most 150 tokens on notes and checkpoints. Default: `full` with a workspace or skills, else `brief`.
   */
  readonly runtimeInstructions?: 'full' | 'minimal' | 'brief';
  /**
   * Scales and turns images once, before they are stored, so that the model and the provider accept them. Default: sharp, loaded
   * with the first image. `as-given` leaves images as they are.
   */
  readonly images?: ImageFitter | 'as-given';
}

/** What an agent takes from the process that runs it. */
export interface HostOptions {
  /**
   * Variables, such as `process.env`. The provider's key is read from them, their secrets are masked, and commands get the ones
   * that are not secret.
   */
  readonly environment?: AgentEnvironment;
  /** Name of the program that sends the prompts, recorded with each. Default: `library`. */
  readonly client?: string;
  /** Time, random numbers and new ids. A test passes its own. */
  readonly clock?: Surroundings;
}

/** Names and values of environment variables, in the form of `process.env`. */
export type AgentEnvironment = Readonly<Record<string, string | undefined>>;

/** Returns the workspace as an object; `undefined` if there is none. */
export function workspaceOf({ workspace }: Pick<AgentOptions, 'workspace'>): WorkspaceSetup | undefined {
  return typeof workspace === 'string' ? { folder: workspace } : workspace;
}
