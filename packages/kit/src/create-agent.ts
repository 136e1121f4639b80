// Creates an agent, which opens sessions. When the agent is closed, everything that it opened is closed too.

import { defined } from '@tidemark/core';
import type {
  AgentForkOptions,
  AgentSession,
  ForkPlan,
  ModelReach,
  OtherModel,
  RecordedModel,
  SessionMessage,
} from '@tidemark/agent';
import { openLiveSession, planFork, readMessages } from '@tidemark/agent';
import type { Log, LogErrorCode, SessionId } from '@tidemark/log';
import { LogError, sessionId } from '@tidemark/log';
import type { Capabilities, Provider } from '@tidemark/model';
import type { McpServerState } from '@tidemark/tools-mcp';
import type { AgentOptions } from './agent-options.ts';
import { checkOptions } from './check-options.ts';
import { chooseOther } from './choose-provider.ts';
import { KitError } from './kit-error.ts';
import type { ResolvedAgent } from './resolve-agent.ts';
import { createOwnAgents } from './own-agents.ts';
import { resolveAgent } from './resolve-agent.ts';
import { withSkills } from './with-skills.ts';

/** Options for opening a session. */
export interface OpenOptions {
  /** Title of a new session in lists. */
  readonly title?: string;
  /**
   * True to create the session if no session has the given id. This is for a program that has its own ids. Default:
   * false. A missing session is then refused with `log/missing`.
   */
  readonly create?: boolean;
  /**
   * Name of an own agent, for a new session. The session gets its role, its tools, its model and its effort, and keeps
   * them. To change the agent of an existing session, use `session.setAgent`.
   */
  readonly agent?: string;
  /** True to keep the model of this agent instead of the one that the own agent names. Default: false. */
  readonly keepModel?: boolean;
  /**
   * True to record the model of a new session at once. The session then keeps its model if it is closed before its
   * first request. Default: false. The first request records the model.
   */
  readonly recordModel?: boolean;
}

/** An agent. It can have any number of sessions open at the same time. */
export interface Agent {
  /** Store that contains the agent's sessions. */
  readonly log: Log;
  /** Capabilities, limits and prices of the agent's model. */
  readonly capabilities: Capabilities;
  /**
   * Opens a new session, or the existing session with the given id. With `create`, a session that does not exist is
   * created with this id. Opening sends nothing to the provider.
   *
   * @throws KitError `kit/closed`; `kit/bad-id` for an invalid id (an id is 1 to 128 letters, digits, `.`, `_` or `-`,
   *   and begins with a letter or digit); `kit/bad-options` for an unknown option.
   * @throws AgentError `agent/unknown-agent` for an own agent that does not exist or cannot be used.
   * @throws LogError `log/missing`, `log/damaged`; `log/locked` if this agent or another process has the session open.
   */
  open(id?: string, options?: OpenOptions): Promise<AgentSession>;
  /**
   * Returns the session with the given id if this agent has it open. Otherwise returns `undefined`.
   *
   * @throws KitError `kit/bad-id`.
   */
  session(id: string): AgentSession | undefined;
  /**
   * Returns the recorded messages of a session as `session.messages` does. The session does not have to be open.
   *
   * @throws KitError `kit/bad-id`.
   * @throws LogError `log/missing`, `log/damaged`, while the messages are read.
   */
  messages(id: string): AsyncIterable<SessionMessage>;
  /**
   * Opens a fork of a session. The session may be open in another process. The fork begins with the session's records
   * up to the chosen record. Its first request reads the prefix that the session has in the cache. To rewind, fork with
   * `beforePrompt`. With `model`, the fork uses another model. Files in the workspace do not change.
   *
   * @throws AgentError `agent/not-closed` with the nearest closed positions, `agent/no-such-record`.
   * @throws as `open`.
   */
  fork(id: string, options?: AgentForkOptions): Promise<AgentSession>;
  /** Returns the state of each MCP server, with its secrets masked. Starts no server. Empty without the option `mcp`. */
  mcpServers(): Promise<readonly McpServerState[]>;
  /**
   * Closes every open session and every provider that the agent created itself. A running turn ends as interrupted. A
   * provider object that the caller passed stays open.
   */
  close(): Promise<void>;
  /** Closes the agent at the end of its block: `await using agent = createAgent({ … })`. */
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Creates an agent. Nothing is sent or written until a session opens.
 *
 * @throws KitError `kit/bad-options`, `kit/no-key`, `kit/unknown-model`.
 * @throws CatalogError for bad `modelOptions.catalog`.
 */
export function createAgent(options: AgentOptions): Agent {
  checkOptions(options);
  const resolved = resolveAgent(options);
  const { log, runtime, mcp } = resolved;
  // If the author made a provider or an `McpTools` object, other agents may also use it. The agent therefore does not
  // close it.
  const made = new Set<Pick<Provider, 'close'>>(typeof options.provider === 'object' ? [] : [runtime.provider]);
  if (mcp !== undefined && mcp !== options.mcp) made.add(mcp);
  const sessions = new Set<AgentSession>();
  let closed = false;
  const ownAgents = createOwnAgents(options, made, resolved);
  const findModel = (model: string, reach: ModelReach): OtherModel => {
    const other = chooseOther(options, model, reach);
    if (typeof reach.provider !== 'object') made.add(other.provider);
    return other;
  };
  const open = async (which: WhichSession): Promise<AgentSession> => {
    if (closed) throw new KitError('kit/closed', 'this agent is closed: create another agent to open a session');
    void mcp?.ready();
    const equipped = await ownAgents.equip({ ...runtime, findModel });
    return openSession({ ...resolved, runtime: equipped }, options, sessions, which);
  };
  const close = async (): Promise<void> => {
    closed = true;
    await closeAll(sessions, made);
  };
  return {
    log,
    capabilities: runtime.capabilities,
    async open(id, given = {}) {
      requireOpenOptions(id, given);
      const { title, create = false, agent, keepModel = false } = given;
      const fresh = (other?: OtherModel): Promise<AgentSession> => open(newSessionOf(given, other ?? runtime));
      if (id === undefined) return agent === undefined ? fresh() : ownAgents.openAs(agent, fresh, { keepModel });
      const existing = { id: idFrom(id) };
      requireNotOpen(sessions, existing.id);
      return create ? openOrCreate(open, existing, defined({ title })) : open(existing);
    },
    async fork(id, how = {}) {
      requireKnown('fork', how, FORK_OPTIONS);
      const { model, provider, baseURL, contextWindow, ...cut } = how;
      const reach = defined({ provider, baseURL, contextWindow });
      const named = model ?? (Object.keys(reach).length === 0 ? undefined : options.model);
      // The model is looked up before the fork is created. If the name is wrong, no fork is created.
      const other = typeof named === 'string' ? findModel(named, reach) : named;
      const recordedModel = other?.capabilities;
      const fork = await open({ forks: await planFork(log, idFrom(id), cut), ...defined({ recordedModel }) });
      if (other !== undefined) await fork.setModel(other, typeof named === 'string' ? {} : reach);
      return fork;
    },
    session(id) {
      const wanted = idFrom(id);
      return [...sessions].find((one) => one.id === wanted);
    },
    messages: (id) => readMessages(log, idFrom(id)),
    mcpServers: () => Promise.all((mcp?.servers() ?? []).map((server) => withMaskedReasons(server, resolved.secrets))),
    close,
    [Symbol.asyncDispose]: close,
  };
}

function newSessionOf(
  { title, recordModel = false }: OpenOptions,
  { capabilities }: { readonly capabilities: Capabilities },
): WhichSession {
  return { ...defined({ title }), ...(recordModel && { recordedModel: capabilities }) };
}

async function withMaskedReasons(server: McpServerState, { mask }: ResolvedAgent['secrets']): Promise<McpServerState> {
  const { trouble, missing } = server;
  return {
    ...server,
    ...(trouble !== undefined && { trouble: await mask(trouble) }),
    ...(missing !== undefined && { missing: await mask(missing) }),
  };
}

async function closeAll(
  sessions: ReadonlySet<AgentSession>,
  made: ReadonlySet<Pick<Provider, 'close'>>,
): Promise<void> {
  try {
    await Promise.all([...sessions].map((session) => session.close()));
  } finally {
    await Promise.all([...made].map(async (one) => one.close?.()));
  }
}

const OPEN_OPTIONS = ['title', 'create', 'agent', 'keepModel', 'recordModel'] satisfies readonly (keyof OpenOptions)[];
const FORK_OPTIONS = [
  'at',
  'beforePrompt',
  'summarize',
  'title',
  'model',
  'provider',
  'baseURL',
  'contextWindow',
] satisfies readonly (keyof AgentForkOptions)[];

/** @throws KitError `kit/bad-options` for a wrong option. */
function requireOpenOptions(id: string | undefined, given: OpenOptions): void {
  requireKnown('open', given, OPEN_OPTIONS);
  const refuse = (option: string, rule: string): KitError =>
    new KitError('kit/bad-options', `agent.open: \`${option}\` ${rule}`, { problems: [option] });
  for (const name of ['title', 'agent'] as const)
    if (given[name] !== undefined && typeof given[name] !== 'string') throw refuse(name, 'has to be a string');
  for (const name of ['create', 'keepModel', 'recordModel'] as const)
    if (given[name] !== undefined && typeof given[name] !== 'boolean') throw refuse(name, 'has to be true or false');
  if (id !== undefined && given.agent !== undefined)
    throw refuse('agent', 'is only for a new session without an id: use session.setAgent');
  if (id !== undefined && given.recordModel === true)
    throw refuse('recordModel', 'is only for a new session without an id: its first request records the model');
}

/** @throws LogError `log/locked` if this agent has the session open. */
function requireNotOpen(sessions: ReadonlySet<AgentSession>, id: SessionId): void {
  if (![...sessions].some((session) => session.id === id)) return;
  const message = `the session ${id} is already open in this agent: get it with agent.session('${id}'), or close it first`;
  throw new LogError('log/locked', message, { session: id });
}

/** @throws KitError `kit/bad-options` for an option that the command does not have. */
function requireKnown(command: string, given: object, known: readonly string[]): void {
  if (typeof given !== 'object' || given === null) {
    const message = `agent.${command} takes an object with ${known.join(', ')}`;
    throw new KitError('kit/bad-options', message, { problems: ['options'] });
  }
  const unknown = Object.keys(given).find((name) => !known.includes(name));
  if (unknown === undefined) return;
  const message = `agent.${command} has no option ${unknown}: use ${known.join(', ')}`;
  throw new KitError('kit/bad-options', message, { problems: [unknown] });
}

/** @throws KitError `kit/bad-id` with the rule for ids. */
function idFrom(id: unknown): SessionId {
  try {
    if (typeof id === 'string') return sessionId(id);
  } catch {
    // The id is not valid. The error below explains the rule.
  }
  const given = typeof id === 'string' ? JSON.stringify(id) : `a value of type ${id === null ? 'null' : typeof id}`;
  const message = `${given} is not a session id: use 1 to 128 letters, digits, ".", "_" or "-", with a letter or digit first`;
  const order =
    typeof id === 'object' && id !== null ? '; the options come after the id: open(undefined, { title })' : '';
  throw new KitError('kit/bad-id', `${message}${order}`, { id });
}

/**
 * Opens the session, or creates it if no session has this id. If another program creates it at the same moment, opens
 * that session.
 */
async function openOrCreate(
  open: (which: WhichSession) => Promise<AgentSession>,
  existing: { readonly id: SessionId },
  created: { readonly title?: string },
): Promise<AgentSession> {
  try {
    return await open(existing);
  } catch (error) {
    if (!hasCode(error, 'log/missing')) throw error;
  }
  try {
    return await open({ ...existing, ...created, create: true });
  } catch (error) {
    if (!hasCode(error, 'log/exists')) throw error;
    return open(existing);
  }
}

function hasCode(error: unknown, code: LogErrorCode): boolean {
  return error instanceof LogError && error.code === code;
}

/**
 * The session to open: an existing one (`id`), a fork (`forks`), or a new one. It is new if both fields are absent or
 * if `create` is set.
 */
interface WhichSession {
  readonly id?: SessionId;
  readonly create?: true;
  readonly forks?: ForkPlan;
  readonly title?: string;
  readonly recordedModel?: RecordedModel;
}

/**
 * Opens a session. An existing session and a fork keep their recorded mode. If the author's mode is narrower, they take
 * the author's mode.
 */
async function openSession(
  { log, runtime, secrets, skills, workspace, firstMode }: ResolvedAgent,
  { host, permissions }: AgentOptions,
  sessions: Set<AgentSession>,
  { id, forks, title, recordedModel, create: creates }: WhichSession,
): Promise<AgentSession> {
  const create = creates ?? (id === undefined && forks === undefined);
  return openLiveSession({
    log,
    runtime: await withSkills(runtime, skills),
    secrets,
    workspace,
    id: id ?? sessionId(runtime.surroundings.newName()),
    create,
    open: sessions,
    ...defined({ forks, title, recordedModel, client: host?.client, mode: create ? firstMode : permissions?.mode }),
  });
}
