// What a session is run with from its next request on: tools, how much the model reasons, the model itself. Nothing is
// recorded here but reasoning, which holds for the session; the next request decides what that asks for, so that what was changed
// and changed back asks for nothing.

import type { RenderParameters } from '@tidemark/log';
import { requirePrice } from '../decide/limits.ts';
import { AgentError } from '../errors.ts';
import { commit } from '../session/session.ts';
import { IN_WORDS } from '../fork/cut-points.ts';
import type { ForkPlan } from '../fork/plan-fork.ts';
import type { Tool } from '../tools/tool.ts';
import type { Actor } from './actor.ts';
import { requireUsable, restAnew, stop } from './actor.ts';
import type { OtherModel } from './live-session.ts';
import type { Runtime } from './runtime.ts';

/** Other tools; those that the sources gave stay. */
export function changeTools(actor: Actor, tools: readonly Tool[], takeTools: 'now' | 'next-epoch'): void {
  requireUsable(actor);
  const { given = [] } = actor.runtime;
  actor.runtime = { ...actor.runtime, tools: [...tools, ...given], takeTools };
  restAnew(actor);
}

/** @throws AgentError `agent/unknown-parameter`. */
export function changeReasoning(actor: Actor, parameters: RenderParameters): void {
  requireUsable(actor);
  const { runtime } = actor;
  const { model, renderParameters } = runtime.capabilities;
  const unknown = Object.keys(parameters).find((name) => !Object.hasOwn(renderParameters, name));
  if (unknown !== undefined) {
    const known = Object.keys(renderParameters).toSorted().join(', ');
    const message = `${model} has no render parameter "${unknown}": use one of ${known}`;
    throw new AgentError('agent/unknown-parameter', message, { parameter: unknown });
  }
  actor.runtime = { ...runtime, parameters: { ...runtime.parameters, ...parameters } };
  recordReasoning(actor, parameters);
  restAnew(actor);
}

/** The next request and the end of the session wait for the record, which is appended in their order. */
function recordReasoning(actor: Actor, parameters: RenderParameters): void {
  const { session, runtime } = actor;
  const at = runtime.surroundings.now();
  commit(session, [{ kind: 'reasoning.set', at, data: { parameters } }]).catch((error: unknown) =>
    stop(actor, error instanceof Error ? error : new Error(String(error))),
  );
}

/** @throws AgentError `agent/unknown-price`. */
export function changeModel(actor: Actor, model: OtherModel): void {
  requireUsable(actor);
  const { runtime, first } = actor;
  requirePrice(runtime.limits, model.capabilities, runtime.surroundings.now().slice(0, 10));
  actor.runtime = withModel({ runtime, first }, model);
  restAnew(actor);
}

/** What is run with another model, if there is another. */
export function withModel(
  { runtime, first }: Pick<Actor, 'runtime' | 'first'>,
  model: OtherModel | undefined,
): Runtime {
  if (model === undefined) return runtime;
  const { provider, capabilities, parameters = runtime.parameters } = model;
  const { envelope, betas } = provider.name === first.provider.name ? first : NOTHING_SAID;
  return { ...runtime, provider, capabilities, envelope, betas, parameters };
}

/**
 * A model that is switched goes on with all that is there: nothing is left behind in silence.
 *
 * @throws AgentError `agent/not-closed`.
 */
export function requireForkable({ of, parent, left, open }: ForkPlan): void {
  if (left === undefined || open === undefined) return;
  const message = `session ${of} cannot be forked at its end: ${IN_WORDS[open]} there; wait for the end of the turn or resume it, fork at ${parent.position}, or switch in place`;
  throw new AgentError('agent/not-closed', message, { session: of, at: left.to, open, before: parent.position });
}

/** What goes to a provider for which nothing was said. */
const NOTHING_SAID: Pick<Runtime, 'envelope' | 'betas'> = { envelope: {}, betas: [] };
