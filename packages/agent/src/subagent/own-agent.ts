// Finds the own agent and the model of a subagent. Nothing is started or sent here.

import { defined } from '@tidemark/core';
import type { EventData, RenderParameters, StartedAgent } from '@tidemark/log';
import { effortsOf, nameParameters } from '@tidemark/model';
import { AgentError, messageOf } from '../errors.ts';
import { nearestName } from '../nearest-name.ts';
import type { OtherModel } from '../ports/other-model.ts';
import type { AgentShelf, OwnAgent } from '../ports/own-agent.ts';
import type { Runtime } from '../ports/runtime.ts';

/** Returns the own agent with this name, or a text that names the nearest one. */
export function findOwnAgent(shelf: AgentShelf | undefined, name: string): OwnAgent | string {
  const found = shelf?.find(name);
  if (found !== undefined) return found;
  const names = shelf?.names ?? [];
  const asked = `There is no own agent ${JSON.stringify(name.slice(0, 80))}.`;
  if (names.length === 0) return `${asked} No own agent is installed: leave \`agent\` out.`;
  const nearest = nearestName(name, names);
  return `${asked} ${nearest === undefined ? `The own agents are: ${names.join(', ')}.` : `Did you mean ${nearest}?`}`;
}

/** Own agent and model of a subagent, in the form in which the log records them. */
export type StartedAs = Pick<EventData['subagent.started'], 'agent' | 'model' | 'provider'>;

/**
 * Returns the own agent and the model with which a subagent starts. If the agent or its model cannot be used, returns
 * the reason as a text.
 */
export function startAs(runtime: Runtime, name: string | undefined): StartedAs | string {
  const own = name === undefined ? undefined : findOwnAgent(runtime.agents, name);
  if (typeof own === 'string') return own;
  try {
    const other = modelFor(runtime, own?.model);
    return defined({
      agent: own && startedAgent(own),
      model: other?.capabilities.model,
      provider: other?.provider.name,
    });
  } catch (error) {
    return `The model of the agent "${own?.name ?? ''}" cannot be used: ${messageOf(error)}`;
  }
}

function startedAgent({ name, version, role, tools, effort }: OwnAgent): StartedAgent {
  return defined({ name, version, role, tools, effort });
}

/** Returns the model of a subagent if it is another one than that of its parent. */
function modelFor(runtime: Runtime, named: string | undefined): OtherModel | undefined {
  const other = named === undefined ? runtime.subagentModel : runtime.findAgentModel?.(named);
  if (other === undefined) {
    if (named !== undefined) throw new Error(`this session cannot look up the model "${named}"`);
    return undefined;
  }
  const { provider, capabilities } = runtime;
  const isSame = other.capabilities.model === capabilities.model && other.provider.name === provider.name;
  return isSame ? undefined : other;
}

/**
 * Returns the model that the log records for a subagent. Returns `undefined` if it is that of the session.
 *
 * @throws AgentError `agent/unknown-model` if the model cannot be found any more, for example because its key is missing.
 */
export function recordedModel(runtime: Runtime, { model, provider }: StartedAs): OtherModel | undefined {
  if (model === undefined) return undefined;
  const { subagentModel: usual } = runtime;
  const isUsual = usual?.capabilities.model === model && usual.provider.name === provider;
  try {
    const found = isUsual ? usual : runtime.findAgentModel?.(model);
    if (found?.provider.name === provider) return found;
  } catch (cause) {
    throw missingModel(model, messageOf(cause), cause);
  }
  throw missingModel(model, `it was a model of ${provider ?? 'another provider'}`);
}

function missingModel(model: string, why: string, cause?: unknown): AgentError {
  const message = `the model ${model} of a subagent cannot be found any more: ${why}`;
  return new AgentError('agent/unknown-model', message, { model }, cause);
}

/**
 * Returns the render parameters with the effort of an own agent. An effort that the model does not have is not set,
 * because the agent may run with another model than its author expected.
 */
export function withEffort(
  parameters: RenderParameters,
  effort: string | undefined,
  { capabilities }: Pick<Runtime, 'capabilities'>,
): RenderParameters {
  if (effort === undefined || effortsOf(capabilities)?.includes(effort) === false) return parameters;
  const named = nameParameters({ effort }, capabilities);
  return 'parameters' in named ? { ...parameters, ...named.parameters } : parameters;
}
