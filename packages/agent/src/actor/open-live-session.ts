// Opens a live session: creates it, or continues from its existing log. Opening an existing log writes nothing.

import { defined } from '@tidemark/core';
import type { ContentPart, Log, SessionId, StartedBy, TurnBegan } from '@tidemark/log';
import { sessionId } from '@tidemark/log';
import { renameParameters } from '@tidemark/model';
import { requirePrice } from '../decide/limits.ts';
import { isResumable } from '../decide/next-move.ts';
import { AgentError } from '../errors.ts';
import type { ForkPlan, RecordedModel } from '../fork/plan-fork.ts';
import { beginFork, planFork, recordedModel } from '../fork/plan-fork.ts';
import { narrower } from '../permissions/judge.ts';
import type { AgentForkOptions, AgentSession, ForkOptions, PromptOptions, Turn, Words } from '../ports/live-session.ts';
import type { ForecastOptions, ModelReach, OtherModel } from '../ports/other-model.ts';
import type { NextCall } from '../ports/next-call.ts';
import type { Mode } from '../ports/permissions.ts';
import type { Runtime } from '../ports/runtime.ts';
import type { Secrets } from '../ports/secrets.ts';
import { NO_SECRETS } from '../ports/secrets.ts';
import { AGENT } from '../ports/subagent.ts';
import type { AnswerSchema } from '../session/answer-schema.ts';
import { createAnswerSchema } from '../session/answer-schema.ts';
import { readMessages } from '../session/messages.ts';
import type { Session } from '../session/session.ts';
import { commit, createSession, openSession } from '../session/session.ts';
import type { Children } from '../subagent/children.ts';
import { createChildren } from '../subagent/children.ts';
import { findSkills } from '../turn/begin-turn.ts';
import { FORECAST_TURN, forecastCall } from '../turn/forecast-call.ts';
import type { Actor } from './actor.ts';
import { createActor, enqueueTurn, requireUsable, workOf } from './actor.ts';
import {
  changeAgent,
  changeMode,
  changeModel,
  changeReasoning,
  changeTools,
  closeActor,
  compactActor,
  interruptTurn,
  notifySession,
  refreshSource,
  requireForkable,
  steerTurn,
  trialRuntime,
  withModel,
} from './commands.ts';
import {
  COMPACT_OPTIONS,
  FORECAST_OPTIONS,
  FORK_OPTIONS,
  PROMPT_OPTIONS,
  RESUME_OPTIONS,
  REACH_OPTIONS,
  partsOf,
  requireMode,
  requireNotification,
  requireOptions,
  requireOtherModel,
  requireSideCall,
} from './check-arguments.ts';
import { hostProcesses, processesOf } from './host-processes.ts';
import { keepWarm } from './keep-warm.ts';
import { answerSideCall } from './side-answer.ts';
import { callBeside } from './side-call.ts';

/** The session to open, and its runtime. */
export interface LiveSessionOptions {
  readonly log: Log;
  readonly runtime: Runtime;
  /**
   * For a fork: the runtime with which the parent session was opened. The `envelope` and `betas` of this runtime are
   * sent only to its own provider.
   */
  readonly first?: Runtime;
  readonly id: SessionId;
  /** True to create the session. Default: false, which opens the existing session. */
  readonly create?: boolean;
  /** Plan of a fork. If present, the session is created as this fork, with the plan's workspace and title. */
  readonly forks?: ForkPlan;
  /** Absolute path of the folder in which a new session works. The log of an existing session contains this path. */
  readonly workspace?: string;
  readonly title?: string;
  /** For a new session or a fork: model that the first record names, so that the log has it before the first request. */
  readonly recordedModel?: RecordedModel;
  /**
   * For a subagent: the session and the call that started it. `root` is the first session of the family. Default for
   * `root`: the session itself.
   */
  readonly startedBy?: StartedBy;
  readonly root?: SessionId;
  /** Cause recorded for the session's turns. Default: the user. */
  readonly trigger?: TurnBegan['trigger'];
  /**
   * Permission mode of a new session. Default: `ask`. For an existing session it can only narrow the last mode in the
   * log.
   */
  readonly mode?: Mode;
  readonly secrets?: Secrets;
  /** Name of the program that sends the prompts. It is recorded with each prompt. Default: `library`. */
  readonly client?: string;
  /** Open sessions of the agent. This session and its forks stay in this set until they are closed. */
  readonly open?: Set<AgentSession>;
}

/** Options that a fork takes over from its parent session. */
type SharedOptions = Pick<LiveSessionOptions, 'client' | 'trigger' | 'open'>;

const FIRST_MODE: Mode = 'ask';

/**
 * Opens an existing session. With `create` or `forks`, creates a new one.
 *
 * @throws AgentError `agent/unknown-price` if a cost limit is set and the price of the model is unknown.
 * @throws LogError as the store does.
 */
export async function openLiveSession(options: LiveSessionOptions): Promise<AgentSession> {
  const { runtime: given } = options;
  requirePrice(given.limits, given.capabilities, given.surroundings.now().slice(0, 10));
  const session = await take(options);
  const runtime = withAgent(options.first === undefined ? withReasoning(given, session) : given, session);
  const { mode } = session.progress;
  const actor = createActor(session, runtime, modeOf(mode, options.mode), options.first);
  actor.atRest = () => void keepWarm(actor);
  actor.side = (call) => callBeside(actor, call);
  hostProcesses(actor);
  if (runtime.subagents !== undefined) actor.children = createChildren(openChild(options), runtime.subagents);
  return createFace(actor, sharedOptions(options));
}

/**
 * Returns the runtime with the parameters that `setReasoning` recorded. These parameters override the parameters of the
 * runtime, because they were set for this session. They may have been set for a model with other parameter names.
 */
function withReasoning(runtime: Runtime, { progress: { reasoningParameters } }: Session): Runtime {
  const recorded = renameParameters(reasoningParameters, runtime.capabilities);
  return { ...runtime, parameters: { ...runtime.parameters, ...recorded } };
}

/** Returns the runtime with the own agent that the log records for the session. It overrides the agent of the runtime. */
function withAgent(runtime: Runtime, { progress: { agent } }: Session): Runtime {
  return agent === undefined ? runtime : { ...runtime, agent };
}

function sharedOptions({ client, trigger, open }: LiveSessionOptions): SharedOptions {
  return defined({ client, trigger, open });
}

function openChild({ log, first, runtime, secrets = NO_SECRETS }: LiveSessionOptions): Children['open'] {
  const shared = { log, secrets, first: first ?? runtime, client: AGENT, trigger: 'subagent' } as const;
  return (child) => openLiveSession({ ...shared, ...child });
}

function take(options: LiveSessionOptions): Promise<Session> {
  const { log, id, runtime, secrets = NO_SECRETS, forks, recordedModel: model } = options;
  const at = runtime.surroundings.now();
  if (forks !== undefined) return beginFork(log, forks, { id, at, secrets, ...defined({ model }) });
  return options.create === true ? begin(options) : openSession(log, id, secrets);
}

function modeOf(held: Mode | undefined, asked: Mode | undefined): Mode {
  if (held === undefined || asked === undefined) return held ?? asked ?? FIRST_MODE;
  return narrower(held, asked);
}

async function begin(options: LiveSessionOptions): Promise<Session> {
  const { log, id, runtime, workspace = '/', title, startedBy, mode = FIRST_MODE, secrets = NO_SECRETS } = options;
  const session = await createSession(log, id, undefined, secrets);
  const at = runtime.surroundings.now();
  const { root = id } = options;
  const named = defined({ startedBy, title });
  try {
    await commit(session, [
      { kind: 'session.created', at, data: { id, root, workspace, ...named, ...recordedModel(options.recordedModel) } },
      { kind: 'mode.changed', at, data: { mode, by: 'settings' } },
    ]);
  } catch (error) {
    await session.writer.close();
    throw error;
  }
  return session;
}

async function forkLive(
  actor: Actor,
  shared: SharedOptions,
  { model, provider, baseURL, contextWindow, ...options }: AgentForkOptions,
): Promise<AgentSession> {
  requireUsable(actor);
  const reach = defined({ provider, baseURL, contextWindow });
  const named = model ?? (Object.keys(reach).length === 0 ? undefined : actor.runtime.capabilities.model);
  const other = named === undefined ? undefined : findModel(actor, named, reach);
  const plan = await planLiveFork(actor, options);
  if (other !== undefined && options.at === undefined && options.beforePrompt === undefined) requireForkable(plan);
  return beginLive(actor, shared, plan, other);
}

/**
 * Plans a fork of the open session. First waits for pending appends, for example of a setting that was just changed.
 * The plan then includes them.
 */
async function planLiveFork({ session }: Actor, options: ForkOptions): Promise<ForkPlan> {
  const { log, writer, mutex } = session;
  await mutex.pass(async () => undefined);
  return planFork(log, writer.session, options);
}

/**
 * Opens a fork with the current runtime of its parent. The fork's permission mode is never wider than the parent's
 * current mode.
 */
function beginLive(
  { session, runtime, first, mode }: Actor,
  shared: SharedOptions,
  forks: ForkPlan,
  model: OtherModel | undefined,
): Promise<AgentSession> {
  const { log, secrets } = session;
  const id = sessionId(runtime.surroundings.newName());
  return openLiveSession({
    log,
    runtime: withModel({ runtime, first }, model),
    first,
    id,
    forks,
    mode,
    secrets,
    ...shared,
    ...(model !== undefined && { recordedModel: model.capabilities }),
  });
}

/**
 * Returns the model. If `model` is an object, it is returned unchanged. If it is a name, `Runtime.findModel` finds the
 * model.
 *
 * @throws AgentError `agent/unknown-model` if there is no `Runtime.findModel`; `agent/bad-argument` if a reach is given
 *   with an object, because the object already contains its provider.
 * @throws what `Runtime.findModel` throws.
 */
function findModel({ runtime }: Actor, model: string | OtherModel, reach: ModelReach): OtherModel {
  if (typeof model !== 'string') {
    requireOtherModel(model, reach);
    return model;
  }
  if (runtime.findModel !== undefined) return runtime.findModel(model, reach);
  const message = `the model "${model}" cannot be found by its name in this session: pass its provider and its capabilities`;
  throw new AgentError('agent/unknown-model', message, { model });
}

function createFace(actor: Actor, shared: SharedOptions): AgentSession {
  const { session } = actor;
  const { client = 'library', trigger = 'user', open } = shared;
  const face: AgentSession = {
    id: session.writer.session,
    get mode() {
      return actor.mode;
    },
    get running() {
      return actor.running !== undefined;
    },
    processes: processesOf(actor),
    prompt: (words, options = {}) => promptSession(actor, { client, trigger }, words, options),
    resume(options = {}) {
      requireUsable(actor);
      requireOptions('resume', options, RESUME_OPTIONS);
      requireResumable(actor);
      return enqueueTurn(actor, { with: 'resume', trigger }, defined({ signal: options.signal }));
    },
    steer: async (words) => steerTurn(actor, partsOf(words), client),
    interrupt: () => interruptTurn(actor),
    async setMode(mode) {
      requireMode(mode);
      await changeMode(actor, mode);
    },
    ...runtimeCommands(actor),
    async fork(options = {}) {
      requireOptions('fork', options, FORK_OPTIONS);
      return forkLive(actor, shared, options);
    },
    async setModel(model, reach = {}) {
      requireOptions('setModel', reach, REACH_OPTIONS);
      requireUsable(actor);
      changeModel(actor, findModel(actor, model, reach));
    },
    notify: (notification) => notifySession(actor, notification),
    refresh: (source) => refreshSource(actor, source),
    async side(call) {
      requireSideCall(call);
      return answerSideCall(actor, call);
    },
    async compact(options = {}) {
      requireOptions('compact', options, COMPACT_OPTIONS);
      return compactActor(actor, options);
    },
    forecast: async (words, options = {}) => forecastSession(actor, words, options),
    messages: () => readMessages(session.log, session.writer.session),
    events: () => actor.feed.listen(),
    async close() {
      try {
        await closeActor(actor);
      } finally {
        open?.delete(face);
      }
    },
    [Symbol.asyncDispose]: () => face.close(),
  };
  open?.add(face);
  return face;
}

/** Commands that change the runtime from the next request on. */
function runtimeCommands(actor: Actor): Pick<AgentSession, 'setTools' | 'setReasoning' | 'setAgent'> {
  return {
    setTools: (tools, options) => changeTools(actor, tools, options),
    setReasoning: (parameters) => changeReasoning(actor, parameters),
    setAgent: (name) => changeAgent(actor, name),
  };
}

/** Forecasts the next call. Without words, the prompt is a single character. */
async function forecastSession(
  actor: Actor,
  words: Words = '.',
  options: ForecastOptions = {},
): Promise<NextCall | undefined> {
  requireUsable(actor);
  requireOptions('forecast', options, FORECAST_OPTIONS);
  if (actor.running !== undefined) return undefined;
  const { model, reasoning, skills = [], notifications = [], mode = actor.mode, ...reach } = options;
  for (const notification of notifications) requireNotification(notification);
  const other = model === undefined ? undefined : findModel(actor, model, reach);
  const isSame = other === undefined && reasoning === undefined;
  const trial = isSame ? actor : { ...actor, runtime: trialRuntime(actor, other, reasoning) };
  const { signal } = new AbortController();
  const found = findSkills(actor.runtime.skills, skills);
  const work = workOf(trial, FORECAST_TURN, signal);
  return forecastCall(work, { parts: partsOf(words), skills: found, notifications, mode });
}

function promptSession<Output>(
  actor: Actor,
  origin: { readonly client: string; readonly trigger: TurnBegan['trigger'] },
  words: Words,
  options: PromptOptions<Output>,
): Turn<Output> {
  requireUsable(actor);
  requireOptions('prompt', options, PROMPT_OPTIONS);
  const { skills = [], output, signal } = options;
  const found = findSkills(actor.runtime.skills, skills);
  const schema = output === undefined ? undefined : createAnswerSchema(output);
  const parts = schema === undefined ? partsOf(words) : [...partsOf(words), requestOf(schema)];
  return enqueueTurn(actor, { with: 'prompt', parts, skills: found, ...origin }, defined({ schema, signal }));
}

function requestOf({ request }: AnswerSchema<unknown>): ContentPart {
  return { type: 'text', text: request };
}

function requireResumable({ session, running }: Actor): void {
  if (running === undefined && isResumable(session)) return;
  const why =
    running === undefined
      ? 'its last turn is complete; send a prompt instead'
      : 'a turn is running; wait for its end, or steer it';
  throw new AgentError('agent/nothing-to-resume', `session ${session.writer.session} has nothing to resume: ${why}`);
}
