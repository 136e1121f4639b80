// Commands to a session, during a turn or between turns. Most commands are recorded in the log immediately.

import { defined } from '@tidemark/core';
import type { Event, NotificationReceived, RenderParameters } from '@tidemark/log';
import { nameParameters, renameParameters } from '@tidemark/model';
import { askerOf } from '../compact/ask-for-checkpoint.ts';
import { compactSession, startAfresh } from '../compact/compact-session.ts';
import { requirePrice } from '../decide/limits.ts';
import { AgentError } from '../errors.ts';
import { IN_WORDS } from '../fork/cut-points.ts';
import type { ForkPlan } from '../fork/plan-fork.ts';
import { hooksBeforePrompt, numberNotes } from '../hooks/hooks-of-turns.ts';
import { nearestName } from '../nearest-name.ts';
import { parameterProblem } from '../parameter-problem.ts';
import type { CompactionReport } from '../ports/compaction.ts';
import type { CompactOptions, Words } from '../ports/live-session.ts';
import type { OtherModel } from '../ports/other-model.ts';
import type { Mode } from '../ports/permissions.ts';
import type { Runtime } from '../ports/runtime.ts';
import type { Tool } from '../ports/tool.ts';
import { keepGiven } from '../session/keep-images.ts';
import { commit, commitInside } from '../session/session.ts';
import { askSources, wantNote } from '../sources/ask-sources.ts';
import { narrowChildren, untilQuiet } from '../subagent/children.ts';
import { findOwnAgent } from '../subagent/own-agent.ts';
import { FORECAST_TURN } from '../turn/forecast-call.ts';
import { compactionPrice } from '../turn/price-compaction.ts';
import type { Actor, RunningTurn } from './actor.ts';
import { requireUsable, restAnew, stop, workOf } from './actor.ts';
import {
  TOOLS_OPTIONS,
  requireNotification,
  requireOptions,
  requireParameters,
  requireSourceName,
  requireTools,
} from './check-arguments.ts';

/**
 * Adds a message to the running turn.
 *
 * @throws AgentError `agent/not-running` if no turn is running; `agent/unfit-image` for an image that cannot be sent;
 *   `agent/hook-denied` if a hook denies the message.
 */
export async function steerTurn(actor: Actor, content: Exclude<Words, string>, client: string): Promise<void> {
  requireUsable(actor);
  const { session, running } = actor;
  if (running === undefined) throw notRunning(actor);
  const work = workOf(actor, running.turn, running.abort.signal);
  const notes = await hooksBeforePrompt(work, { parts: content, client, steer: true });
  const parts = await keepGiven(actor, content);
  await running.begun;
  // The check and the append run inside one mutex, so the turn cannot end between them.
  await session.mutex.pass(async () => {
    requireUsable(actor);
    if (!isOpen(actor, running)) throw notRunning(actor);
    const data = { parts, presenter: client, steer: true };
    const given: Event = { kind: 'prompt.given', ...stampOf(actor, running), data };
    await commitInside(session, [given, ...numberNotes(notes, session)]);
  });
}

function isOpen({ session: { progress } }: Actor, { turn }: RunningTurn): boolean {
  return progress.turn?.id === turn && progress.turn.ended === undefined;
}

function notRunning({ session }: Actor): AgentError {
  const message = `session ${session.writer.session} has no running turn to steer: send a prompt instead`;
  return new AgentError('agent/not-running', message);
}

/** Interrupts the running turn, and returns when the turn has ended. If no turn is running, returns immediately. */
export async function interruptTurn({ running }: Actor): Promise<void> {
  running?.abort.abort();
  await running?.over;
}

/** Sets the permission mode. If a turn is running, the model is informed before the next request of this turn. */
export async function changeMode(actor: Actor, mode: Mode): Promise<void> {
  requireUsable(actor);
  const { session, running } = actor;
  await running?.begun;
  requireUsable(actor);
  actor.mode = mode;
  actor.runtime = { ...actor.runtime, modeIsDefault: false };
  await commit(session, [{ kind: 'mode.changed', ...stampOf(actor, running), data: { mode, by: 'user' } }]);
  if (actor.children !== undefined) await narrowChildren(actor.children, mode);
  if (running === undefined || actor.running !== running) return;
  const work = workOf(actor, running.turn, running.abort.signal);
  const sources = actor.runtime.sources.filter((source) => source.urgent === true);
  await askSources({ ...work, runtime: { ...actor.runtime, sources } });
}

/** Compacts the history. The next request applies the recorded compaction. A refusal is recorded in the log too. */
export async function compactActor(actor: Actor, options: CompactOptions = {}): Promise<CompactionReport> {
  requireUsable(actor);
  const { session, runtime, running, side } = actor;
  const { tailTokens: tail, checkpointTokens: checkpoint, by, dryRun, fresh = false } = options;
  await running?.begun;
  const how = {
    ...defined({ dryRun, checkpoint }),
    ...askerOf(defined({ runtime, side }), by),
  };
  const work = workOf(actor, FORECAST_TURN, new AbortController().signal);
  const price = running === undefined ? compactionPrice(work) : undefined;
  if (fresh) {
    const { log, writer, secrets } = session;
    return startAfresh({ log, session: writer.session, secrets, runtime, price }, how);
  }
  const report = await compactSession(defined({ session, runtime, price, turn: running?.turn }), {
    trigger: 'manual',
    ...defined({ tail }),
    ...how,
  });
  if (report.outcome !== 'compacted') return report;
  restAnew(actor);
  if (running !== undefined && actor.running === running) {
    await askSources(workOf(actor, running.turn, running.abort.signal));
  }
  return report;
}

/** Records a notification for the model. */
export async function notifySession(actor: Actor, data: NotificationReceived): Promise<void> {
  requireUsable(actor);
  requireNotification(data);
  await commit(actor.session, [{ kind: 'notification.received', ...stampOf(actor, actor.running), data }]);
}

/**
 * Records the current note of a context source again. During a turn, the note is recorded before the next step.
 * Otherwise it is recorded before the next prompt.
 *
 * @throws AgentError `agent/unknown-source` if no context source has this name.
 */
export async function refreshSource(actor: Actor, name: string): Promise<void> {
  requireUsable(actor);
  requireSourceName(name);
  const { session, runtime, running } = actor;
  const sources = runtime.sources.filter((source) => source.name === name);
  if (sources.length === 0) throw unknownSource(actor, name);
  wantNote(session, name);
  await running?.begun;
  if (running === undefined || actor.running !== running) return;
  const work = workOf(actor, running.turn, running.abort.signal);
  await askSources({ ...work, runtime: { ...actor.runtime, sources } });
}

function unknownSource({ session, runtime }: Actor, name: string): AgentError {
  const names = runtime.sources.map((source) => source.name);
  const nearest = nearestName(name, names);
  const next = nearest === undefined ? `its sources are ${names.join(', ') || 'none'}` : `did you mean ${nearest}?`;
  const message = `session ${session.writer.session} has no context source ${name}: ${next}`;
  return new AgentError('agent/unknown-source', message, { source: name });
}

function stampOf({ runtime }: Actor, running: RunningTurn | undefined): Pick<Event, 'at' | 'turn'> {
  const at = runtime.surroundings.now();
  return running === undefined ? { at } : { at, turn: running.turn };
}

/**
 * Closes the session: a running turn ends as interrupted, the log is flushed, and the lock is released. A second call
 * does nothing.
 */
export async function closeActor(actor: Actor): Promise<void> {
  const { session } = actor;
  const message = `session ${session.writer.session} is closed: open it again`;
  stop(actor, new AgentError('agent/closed', message));
  try {
    for (const abort of actor.beside.keys()) abort.abort();
    await interruptTurn(actor);
    if (actor.children !== undefined) await untilQuiet(actor.children);
    await Promise.allSettled(actor.beside.values());
    await actor.keeping;
  } finally {
    await actor.processes?.close();
    // Commands that were sent before `close` finish first, because the mutex runs them in order. Then the writer is
    // closed.
    await session.mutex.pass(() => session.writer.close());
    actor.feed.end();
  }
}

// Changes to the runtime of a session that take effect with its next request: tools, reasoning, the model. Only a
// change of reasoning is recorded here. A change costs something only if it makes the next request different. If a
// change is undone before that request, it costs nothing.

/**
 * Replaces the session's own tools. Tools from tool sources are kept.
 *
 * @throws AgentError `agent/bad-argument`.
 */
export function changeTools(
  actor: Actor,
  tools: readonly Tool[],
  options: { readonly when?: 'now' | 'next-epoch' } = {},
): void {
  requireUsable(actor);
  requireOptions('setTools', options, TOOLS_OPTIONS);
  requireTools(tools);
  const { when: takeTools = 'now' } = options;
  const { given = [] } = actor.runtime;
  actor.runtime = { ...actor.runtime, tools: [...tools, ...given], takeTools };
  restAnew(actor);
}

/**
 * Sets render parameters for reasoning. They are recorded and also apply after the session is reopened.
 *
 * @throws AgentError `agent/unknown-parameter` for a parameter that the model does not have.
 */
export function changeReasoning(actor: Actor, given: RenderParameters): void {
  requireUsable(actor);
  const { runtime } = actor;
  const parameters = namedReasoning(runtime, given);
  actor.runtime = { ...runtime, parameters: { ...runtime.parameters, ...parameters } };
  recordSetting(actor, { kind: 'reasoning.set', at: runtime.surroundings.now(), data: { parameters } });
  restAnew(actor);
}

function namedReasoning({ capabilities }: Runtime, given: RenderParameters): RenderParameters {
  requireParameters(given);
  const named = nameParameters(given, capabilities);
  if ('parameters' in named) return named.parameters;
  throw new AgentError('agent/unknown-parameter', parameterProblem(named, capabilities), { parameter: named.name });
}

/**
 * Returns the runtime of a forecast with another model or other reasoning. Nothing is recorded.
 *
 * @throws AgentError `agent/unknown-parameter` if the model does not have the parameter.
 */
export function trialRuntime(
  { runtime, first }: Pick<Actor, 'runtime' | 'first'>,
  model: OtherModel | undefined,
  reasoning: RenderParameters | undefined,
): Runtime {
  const other = withModel({ runtime, first }, model);
  if (reasoning === undefined) return other;
  return { ...other, parameters: { ...other.parameters, ...namedReasoning(other, reasoning) } };
}

/**
 * Records a setting without waiting for the write. Appends run in order, so this record is written before the next
 * request and before the session closes.
 */
function recordSetting(actor: Actor, event: Event): void {
  commit(actor.session, [event]).catch((error: unknown) =>
    stop(actor, error instanceof Error ? error : new Error(String(error))),
  );
}

/**
 * Makes an own agent the agent of this session. If it already is, in the same version, nothing changes.
 *
 * @throws AgentError `agent/unknown-agent` with the nearest name.
 */
export function changeAgent(actor: Actor, name: string): void {
  requireUsable(actor);
  const { runtime } = actor;
  const found = findOwnAgent(runtime.agents, name);
  if (typeof found === 'string') throw new AgentError('agent/unknown-agent', found, { agent: name });
  const { name: own, version, role, tools, as } = found;
  const agent = defined({ name: own, version, role, tools, as });
  if (runtime.agent?.name === own && runtime.agent.version === version) return;
  actor.runtime = { ...runtime, agent, takeTools: 'now' };
  recordSetting(actor, { kind: 'agent.chosen', at: runtime.surroundings.now(), data: agent });
  restAnew(actor);
}

/**
 * Switches the model of this session from the next request on.
 *
 * @throws AgentError `agent/unknown-price` if a cost limit is set and the price of the new model is unknown.
 */
export function changeModel(actor: Actor, model: OtherModel): void {
  requireUsable(actor);
  const { runtime, first } = actor;
  requirePrice(runtime.limits, model.capabilities, runtime.surroundings.now().slice(0, 10));
  actor.runtime = withModel({ runtime, first }, model);
  restAnew(actor);
}

/** Returns the runtime with another model. Returns it unchanged if `model` is `undefined`. */
export function withModel(
  { runtime, first }: Pick<Actor, 'runtime' | 'first'>,
  model: OtherModel | undefined,
): Runtime {
  if (model === undefined) return runtime;
  const { provider, capabilities } = model;
  // A parameter keeps its meaning: `effort` of one provider is `reasoning.effort` of another.
  const parameters = model.parameters ?? renameParameters(runtime.parameters, capabilities);
  const { envelope, betas } = provider.name === first.provider.name ? first : NOTHING_SAID;
  return { ...runtime, provider, capabilities, envelope, betas, parameters };
}

/**
 * Checks that a fork for another model would lose no records. Records are lost if work is still open at the end of the
 * session, such as a pending request or a call without a result.
 *
 * @throws AgentError `agent/not-closed` if records would be lost.
 */
export function requireForkable({ of, parent, left, open }: ForkPlan): void {
  if (left === undefined || open === undefined) return;
  const message = `session ${of} cannot be forked at its end, where ${IN_WORDS[open]}; wait for the end of the turn or resume it, fork with \`at: ${parent.position}\`, or use setModel`;
  throw new AgentError('agent/not-closed', message, { session: of, at: left.to, open, before: parent.position });
}

/** Empty `envelope` and `betas`. They are used for a provider with which the session was not opened. */
const NOTHING_SAID: Pick<Runtime, 'envelope' | 'betas'> = { envelope: {}, betas: [] };
