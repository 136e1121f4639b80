// Options of `createAgent`, as the author of an agent writes them. `check-options.ts` refuses any other option.

import type {
  Asker,
  ContextSource,
  ImageFitter,
  Mode,
  ProjectGrants,
  RetryPolicy,
  Rule,
  Surroundings,
  Tool,
} from '@tidemark/agent';
import type { Log, RenderParameters } from '@tidemark/log';
import type { Provider } from '@tidemark/model';
import type { McpOptions, McpTools } from '@tidemark/tools-mcp';
import type { OwnAgentsOptions, SkillsOptions } from '@tidemark/tools-skills';
import type { WebOptions, WebSearch } from '@tidemark/tools-web';
import type { AgentHook } from './agent-hook.ts';
import type { CacheOptions, CompactionOptions } from './cache-options.ts';
import type { ProviderName } from './providers.ts';
import type { CommandsSetup } from './commands-setup.ts';

/**
 * Options of an agent. Only `model` is required. A provider's key is read from these options alone, never from
 * `process.env`.
 */
export interface AgentOptions {
  /**
   * Name of a model in the catalog. Every name that the catalog lists is accepted: `claude-sonnet-5-5`, `gpt-6.1-sol`,
   * `anthropic/claude-sonnet-5.5`.
   */
  readonly model: string;
  /**
   * Provider that answers the requests: the name of a known provider, or a provider that the author made. Default: the
   * maker of the model, or OpenRouter for a model name with a slash. `compatible` is a server that supports OpenAI's
   * Chat Completions. It also needs `baseURL`. Some of these servers have their own names, such as `deepseek` or
   * `ollama`. They do not need `baseURL`. If the catalog has no row for the model of such a server, set
   * `modelOptions.contextWindow`.
   */
  readonly provider?: ProviderName | Provider;
  /**
   * API key of the provider. Default: the provider's variable in `host.environment`, such as `ANTHROPIC_API_KEY`,
   * `OPENAI_API_KEY` or `DEEPSEEK_API_KEY`. If a compatible server has another address than its default one, the
   * variable is named after the host of this address: `TIDEMARK_LLM_EXAMPLE_COM_API_KEY` for
   * `https://llm.example.com/v1`.
   */
  readonly apiKey?: string;
  /**
   * Base URL of the provider, in the form that its SDK expects: without `/v1` for Anthropic, with `/v1` for the
   * others. Default: the provider's public address. Required for `compatible`.
   */
  readonly baseURL?: string;
  /** Headers, bearer token, `fetch`, transport, retries, and a callback for request bodies. */
  readonly connection?: ConnectionOptions;
  /**
   * Request parameters of the model, `anthropic-beta` headers, and data that is missing in the catalog: a context
   * window or other rows.
   */
  readonly modelOptions?: ModelOptions;
  /**
   * Maximum output tokens of one answer. Default: 32,000, or the model's own maximum if that is lower. If
   * `modelOptions.contextWindow` describes the model, the default is at most a quarter of the window.
   */
  readonly maxOutputTokens?: number;
  /** The author's own system text. It follows the system text of the runtime. */
  readonly instructions?: string;
  /** The author's own tools, in addition to the built-in tools of the workspace. */
  readonly tools?: readonly Tool[];
  /**
   * Folder in which the agent works. With a folder, the agent has the built-in tools for files and commands. Default:
   * no folder. Without a folder the agent does not have these tools.
   */
  readonly workspace?: string | WorkspaceSetup;
  /**
   * MCP servers. Their tools are added to the other tools. The servers start when the first session opens. List only
   * servers that the user named, never servers that a workspace asks for. The value may also be the result of
   * `createMcpTools`. Several agents can share such a result, and the caller closes it.
   */
  readonly mcp?: Mcp | McpTools;
  /**
   * Skills: folders with a SKILL.md. A note lists the skills. The model finds and loads them with the tools
   * `skill_search` and `skill_load`. If no skill is installed, the agent does not have these tools. Default: no skills.
   * List only folders that the user trusts. `skillRoots` returns the usual folders.
   */
  readonly skills?: SkillsOptions;
  /**
   * Limits of subagents. If set, the agent has the tool `agent`. With this tool the model gives a task to a subagent.
   * Each subagent runs in its own session with the same tools and permissions. `{}` uses the default limits: four
   * subagents at the same time, 32 in total, and no subagents of subagents. Default: `false`, no subagents.
   */
  readonly subagents?: SubagentOptions | false;
  /** Tools `fetch` and `web_search`. `{}` adds `fetch`, for public addresses only. Default: neither. */
  readonly web?: WebSetup;
  /**
   * Own agents of the user: Markdown files with a role, tools and a model. A note lists them for the tool `agent`, and
   * `agent.open(undefined, { agent })` opens a session with one. Default: no own agents. List only folders that the user
   * trusts. `agentRoots` returns the usual folders.
   */
  readonly ownAgents?: OwnAgentsOptions;
  /**
   * Keys and addresses of other providers than `provider`, by their names. They are used for the models of subagents
   * and own agents, and for `setModel`. Default: the variables in `host.environment`, and the public addresses.
   */
  readonly otherProviders?: { readonly [name in ProviderName]?: OtherProvider };
  /** Permission mode, rules, and the callback that asks the user. */
  readonly permissions?: Permissions;
  /** Functions or programs that are asked about calls, prompts and turns. They can deny and add notes. Default: none. */
  readonly hooks?: readonly AgentHook[];
  /** Limits of one turn. */
  readonly limits?: AgentLimits;
  /**
   * Store of the sessions: `memory`, a folder on disk, or a store that the author opened. A string is the path of a
   * folder, like `{ home }`. Default: `memory`.
   */
  readonly store?: string | { readonly home: string } | Log;
  /**
   * Use of the provider's cache: lifetime of entries, padding, keeping entries alive, and reports of content that is
   * billed again.
   */
  readonly cache?: CacheOptions;
  /** Compaction and pruning of a long history. */
  readonly compaction?: CompactionOptions;
  /** Context sources, images, and the runtime's own instructions. */
  readonly context?: ContextOptions;
  /** Environment, clock, and name of the program that runs the agent. */
  readonly host?: HostOptions;
}

/**
 * Limits of one turn. If a field is absent, there is no limit. A turn that reaches a limit ends as `limited` with a
 * code such as `turn/limit-steps`. `session.resume()` continues this turn, and the limits count from zero again.
 */
export interface AgentLimits {
  /** Maximum number of answers of the model. The limit is checked before each call of the model. */
  readonly maxSteps?: number;
  /**
   * Maximum duration in milliseconds, from the start of the turn or from its last `resume`. When the time is over, the
   * turn ends as `turn/limit-time`. A running call of the model, a running tool, a waiting question and a pause before
   * a retry are then interrupted, as by `session.interrupt()`. If a tool ignores its signal, it gets five more seconds.
   * The time that a turn waits in the queue does not count.
   */
  readonly maxDurationMs?: number;
  /**
   * Maximum cost in US dollars, as a decimal text (`'0.50'`) or as a number. The text is exact. A number is converted
   * to its shortest decimal form, so `0.1` is exactly ten cents. If the forecast cost of a model call would exceed the
   * limit, the call is not sent. If an answer is longer than expected, the cost can still exceed the limit.
   */
  readonly maxCost?: string | number;
  /** Maximum input and output tokens together. A call whose forecast input would exceed the limit is not sent. */
  readonly maxTokens?: number;
}

/** Key and address of a provider that is not the first one of an agent. */
export interface OtherProvider {
  readonly apiKey?: string;
  readonly baseURL?: string;
}

/**
 * Model and limits of each subagent. All subagents together are also limited by the limits of the turn that starts
 * them, minus what this turn has used. Default: 50 steps and ten minutes for each subagent.
 */
export interface SubagentOptions extends AgentLimits {
  /**
   * Model of every subagent whose own agent names none, by its name or a short name such as `haiku`. Default: the model
   * of the session. Another model has a front of its own, which it cannot read from the cache of the session.
   */
  readonly model?: string;
  /** Maximum number of subagents that run at the same time. Default: 4. */
  readonly parallel?: number;
  /** Maximum number of subagents that a session starts in total. Default: 32. */
  readonly total?: number;
  /** Maximum depth of subagents. Default: 1, which means that a subagent starts no subagents. */
  readonly depth?: number;
}

/** Options for sending requests to a provider. */
export interface ConnectionOptions {
  /**
   * Additional headers of every request to the agent's first provider. They are not recorded, and errors do not contain
   * their values. If the name of a header looks like the name of a credential, its value is a secret and is masked
   * everywhere.
   */
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * Bearer token, or a function that returns it. It is sent instead of the API key. The function is called before the
   * first request. If the provider answers with 401, the function is called again, and the request is sent a second
   * time with the new token. Default for Anthropic, if there is no key: `ANTHROPIC_AUTH_TOKEN` in `host.environment`.
   */
  readonly bearerToken?: string | (() => string | Promise<string>);
  /**
   * Function that is called instead of the global `fetch`, for example to use a proxy or custom certificates. The
   * limits on the size and the duration of answers still apply. A redirect is refused, even if the function follows it.
   */
  readonly fetch?: typeof globalThis.fetch;
  /**
   * Transport to OpenAI. Other providers refuse this option. `http`, the default, sends each call over HTTP. `auto`
   * sends the calls of a session's main stream over a WebSocket. There, each call continues the previous answer and
   * sends only the new content. With `auto`, side calls use HTTP. If a WebSocket delivers nothing, the call is repeated
   * over HTTP.
   */
  readonly transport?: 'http' | 'auto';
  /** Policy for retrying temporary failures. */
  readonly retry?: Partial<RetryPolicy>;
  /** Callback that receives a copy of each request body before the request is sent. */
  readonly onRequest?: (body: Uint8Array) => void;
}

/** Request parameters of the model, header values, and data that is missing in the catalog. */
export interface ModelOptions {
  /**
   * Settings of a request that are part of the provider's cache key, under the provider's own field names, such as `{
   * thinking: … }`. For a compatible server every name is accepted and becomes a field of the body, such as `{
   * temperature: 0.2, chat_template_kwargs: … }`.
   */
  readonly parameters?: RenderParameters;
  /**
   * Context window in tokens, input and output together. Required if the provider is `openrouter` or `compatible` and
   * the catalog does not list the model for this provider. Refused for any other model. The caching and the prices of
   * such an unlisted model are unknown.
   */
  readonly contextWindow?: number;
  /** Values of Anthropic's header `anthropic-beta`. */
  readonly betas?: readonly string[];
  /**
   * Changes to the catalog of models: `{ revision: 1, rows: [{ provider, model, ...fields }] }`. A row changes fields
   * of a known model or adds a model.
   */
  readonly catalog?: unknown;
}

/** Workspace: the folder in which an agent works, and its options. */
export interface WorkspaceSetup {
  readonly folder: string;
  /**
   * Built-in tools of the workspace: `true` for all, `false` for none, or the names of the tools to keep. Default: all
   * if `workspace` is set, otherwise none.
   */
  readonly tools?: boolean | readonly string[];
  /**
   * True if the user trusts the workspace. The workspace's memory files (`.tidemark/MEMORY.md`, `USER.md`) are then
   * added to the context as notes, and the tool `memory_update` can write them. Default: false, and the memory files
   * are not added to the context.
   */
  readonly trusted?: boolean;
  /**
   * Use of AGENTS.md, or of CLAUDE.md where there is no AGENTS.md. `attach` puts the files of the workspace folder and of
   * the folders above it, up to the root of the repository, into a note. With `discover` the agent finds the files with
   * its tools. Default: `attach` for new sessions in a trusted workspace, otherwise `discover`.
   */
  readonly agentsFile?: 'discover' | 'attach';
  /**
   * Paths of the user's own instruction files, such as `~/.agents/AGENTS.md` with the home folder written out. They are
   * attached before those of the workspace, unless `agentsFile` is `discover`. Default: none.
   */
  readonly ownInstructions?: readonly string[];
  /** True if the memory files of a trusted workspace are used. Default: true. */
  readonly memory?: boolean;
  /**
   * Permissions of sandboxed commands. `network: 'on'` gives every sandboxed command the network of this machine,
   * including its local services. By default such a command has no network. If a call needs the network, it has to ask
   * for permission.
   */
  readonly sandbox?: SandboxSetting;
  /** Environment variables of commands, in addition to those that every command gets. */
  readonly commands?: CommandsSetup;
  /**
   * Maximum number of background processes of a session that run at the same time. With 0 there are none, and the tools
   * are `bash` without `background`, and no `process`. Default: 8 if `tools` contains `bash` and `process`.
   */
  readonly backgroundProcesses?: number;
  /** Paths that no tool may touch. If `store` is a folder, it is always one of them. */
  readonly forbidden?: readonly string[];
  /**
   * Paths in the workspace that need protection, such as the script of an MCP server. In mode `auto` a file tool asks
   * before it writes to them. Sandboxed commands cannot change them in any mode. If a path is a folder, everything
   * below it is protected too.
   */
  readonly protectedPaths?: readonly string[];
}

/** Tools for the web, and the service that searches. */
export interface WebSetup extends Omit<WebOptions, 'search'> {
  /**
   * Service for the tool `web_search`, such as `createBraveSearch({ apiKey })`. With `provider`, the search is a call to
   * the agent's provider and model, with the provider's own search tool. Anthropic and OpenAI have one. Without this
   * option, there is no such tool.
   */
  readonly search?: WebSearch | 'provider';
}

/** Options of the sandbox for commands. */
export interface SandboxSetting {
  /** Network access of every sandboxed command. Default: `off`. */
  readonly network?: 'off' | 'on';
}

/**
 * MCP servers by name. `waitMs` is the longest time in milliseconds that the first request waits for the servers.
 * Default: 5,000. `approvals` stores the accepted tool definitions. Default: a file in the folder of `store`, if there
 * is one. `authorizations` stores the logins at servers.
 * `toolBudget` is the maximum size of the tools in the list, in estimated tokens; the model finds the others with
 * `tool_search`. Default: 20,000.
 */
export type Mcp = Pick<McpOptions, 'servers' | 'waitMs' | 'approvals' | 'authorizations' | 'toolBudget'>;

/** Permissions of an agent: its mode, its rules, and the callback that asks the user. */
export interface Permissions {
  /**
   * Permission mode of a new session. Default: `ask` if the callback `ask` is set, otherwise `read-only`. An existing
   * session keeps its recorded mode. This option can only make that mode narrower.
   */
  readonly mode?: Mode;
  /** Callback that asks the user. Without it, each call that needs permission is denied. */
  readonly ask?: Asker;
  /**
   * Rules that allow, ask about or deny calls in addition to the mode, by tool, command, path or host. `deny`
   * overrides `ask`, and `ask` overrides `allow`.
   */
  readonly rules?: readonly Rule[];
  /**
   * Store of grants that apply to every session of the workspace. It is outside of the workspace. Without it, a grant
   * ends when its session ends.
   */
  readonly grants?: ProjectGrants;
  /** True to let commands run in mode `auto` without asking, even without a sandbox. Default: false. */
  readonly allowUnsandboxed?: boolean;
}

/** Options for context sources, images and the runtime's own instructions. */
export interface ContextOptions {
  /** The author's own context sources. Their notes come after those of the built-in sources. */
  readonly sources?: readonly ContextSource[];
  /**
   * Amount of the runtime's own system text. `full` contains the identity of the agent, working rules and all
   * explanations. `minimal` explains only how to find instructions, read notes and read checkpoints. `brief` uses at
   * most 150 tokens to explain notes and checkpoints. Default: `full` with a workspace or skills, otherwise `brief`.
   */
  readonly runtimeInstructions?: 'full' | 'minimal' | 'brief';
  /**
   * Image fitter. It prepares each image before it is stored. The image is scaled to the size that the model is shown,
   * turned upright, and reduced to the byte limits of the providers. Default: the built-in fitter, which loads `sharp`
   * with the first image. With `as-given`, the images of tools are stored and sent unchanged. A prompt that contains
   * the bytes of an image is then refused.
   */
  readonly images?: ImageFitter | 'as-given';
}

/** Options about the process that runs the agent. */
export interface HostOptions {
  /**
   * Environment variables with three uses. The provider's key is looked up in them. The values of secret variables are
   * masked. Commands receive the variables that are not secret. If this option is omitted, commands receive
   * `process.env` without its secret variables.
   */
  readonly environment?: AgentEnvironment;
  /** Name of the program that sends the prompts. It is recorded with each prompt. Default: `library`. */
  readonly client?: string;
  /** Source of time, random numbers and new ids. A test passes its own source. Default: the source of this machine. */
  readonly clock?: Surroundings;
}

/** Names and values of environment variables, in the form of `process.env`. */
export type AgentEnvironment = Readonly<Record<string, string | undefined>>;

/**
 * Returns the folder of the sessions. Returns `undefined` if the sessions are in memory, or if the store has no folder.
 */
export function homeOf({ store = 'memory' }: Pick<AgentOptions, 'store'>): string | undefined {
  if (typeof store === 'string') return store === 'memory' ? undefined : store;
  return 'home' in store && typeof store.home === 'string' ? store.home : undefined;
}

/** Returns the workspace as an object. Returns `undefined` if there is no workspace. */
export function workspaceOf({ workspace }: Pick<AgentOptions, 'workspace'>): WorkspaceSetup | undefined {
  return typeof workspace === 'string' ? { folder: workspace } : workspace;
}
