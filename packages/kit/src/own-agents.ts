// Own agents and the models of subagents: looks up models by short names, and adds the own agents to the runtime of a
// session.

import type { AgentSession, OtherModel, OwnAgent, Runtime } from '@tidemark/agent';
import { AgentError, findOwnAgent } from '@tidemark/agent';
import { defined } from '@tidemark/core';
import type { Provider } from '@tidemark/model';
import { effortProblem, effortsOf, findModel, modelNamed } from '@tidemark/model';
import type { InstalledAgents } from '@tidemark/tools-skills';
import { agentsSource, createAgentShelf } from '@tidemark/tools-skills';
import type { AgentOptions } from './agent-options.ts';
import { catalogOf, chooseOther, nameOf } from './choose-provider.ts';
import { isCompatible } from './providers.ts';
import type { ResolvedAgent } from './resolve-agent.ts';
import { withOwnNames } from './with-skills.ts';

/** Own agents of an agent, and the models of its subagents. */
export interface OwnAgents {
  /** Scans the own agents, and returns the runtime with their note and with the models of subagents. */
  readonly equip: (runtime: Runtime) => Promise<Runtime>;
  /**
   * Opens a session and makes it an own agent. If the name is wrong, no session is opened. With `keepModel`, the session
   * keeps the model and the effort of the caller. `open` gets the model of the own agent if the session uses it.
   *
   * @throws AgentError `agent/unknown-agent` with the nearest name, or with the reason why its file cannot be used.
   */
  readonly openAs: (
    name: string,
    open: (other?: OtherModel) => Promise<AgentSession>,
    options: { readonly keepModel: boolean },
  ) => Promise<AgentSession>;
}

/**
 * Creates the own agents of an agent. A provider that is opened for one of their models is added to `made`.
 *
 * @throws KitError if the model of the subagents cannot be used, before anything is sent.
 */
export function createOwnAgents(
  options: AgentOptions,
  made: Set<Pick<Provider, 'close'>>,
  { runtime: first, secrets: { mask }, workspace }: Pick<ResolvedAgent, 'runtime' | 'secrets' | 'workspace'>,
): OwnAgents {
  const models = createAgentModels(options, made);
  const { subagents = false, ownAgents } = options;
  const subagentModel = subagents === false || subagents.model === undefined ? undefined : models(subagents.model);
  const shelf =
    ownAgents && createAgentShelf(ownAgents, { mask, workspace, problemOf: (agent) => problemOfAgent(agent, models) });
  return {
    equip: (runtime) => withOwnAgents({ ...runtime, findAgentModel: models, ...defined({ subagentModel }) }, shelf),
    async openAs(name, open, { keepModel }) {
      const own = await requireOwnAgent(shelf, name);
      const other = keepModel || own.model === undefined ? undefined : models(own.model);
      const { capabilities } = other ?? first;
      const effort =
        keepModel || effortsOf(capabilities)?.includes(own.effort ?? '') === false ? undefined : own.effort;
      const session = await open(other);
      try {
        if (other !== undefined) await session.setModel(other);
        if (effort !== undefined) session.setReasoning({ effort });
        session.setAgent(name);
        return session;
      } catch (error) {
        await session.close();
        throw error;
      }
    },
  };
}

/** Finds the models of subagents and own agents by their names. Each model is looked up only one time. */
type AgentModels = (name: string) => OtherModel;

/**
 * Creates the look-up of models. It prefers models of the agent's own provider, which has the key and the address
 * already. A provider that it opens is added to `made`.
 */
function createAgentModels(options: AgentOptions, made: Set<Pick<Provider, 'close'>>): AgentModels {
  const known = new Map<string, OtherModel>();
  return (name) => {
    const found = known.get(name) ?? lookUp(options, name);
    if (!known.has(name) && found.provider !== options.provider) made.add(found.provider);
    known.set(name, found);
    return found;
  };
}

function lookUp(options: AgentOptions, name: string): OtherModel {
  const catalog = catalogOf(options);
  const maker = typeof options.provider === 'object' ? makerFor(options.provider, options) : nameOf(options);
  const near = maker === undefined ? undefined : modelNamed(name, catalog, maker);
  if (near !== undefined) return chooseOther(options, near.model, defined({ provider: options.provider ?? maker }));
  const row = modelNamed(name, catalog, undefined);
  if (row !== undefined) return chooseOther(options, row.model, { provider: row.provider });
  return chooseOther(options, name, maker !== undefined && isCompatible(maker) ? { provider: maker } : {});
}

/**
 * Returns the provider whose catalog rows describe the models of a provider that the author made. If the catalog has no
 * rows of this provider, these are the rows of the maker of the agent's model.
 */
function makerFor({ name }: Provider, options: AgentOptions): string | undefined {
  const catalog = catalogOf(options);
  return catalog.rows.some((row) => row.provider === name) ? name : findModel(catalog, options.model)?.provider;
}

/** Returns the reason why an own agent cannot work: its model is unknown, has no key, or does not have its effort. */
function problemOfAgent({ model, effort }: OwnAgent, models: AgentModels): string | undefined {
  if (model === undefined) return undefined;
  try {
    const { capabilities } = models(model);
    const problem = effort === undefined ? undefined : effortProblem(capabilities, effort);
    return problem && `effort: ${problem}`;
  } catch (error) {
    return `model: ${error instanceof Error ? error.message : String(error)}`;
  }
}

/** Adds the note about own agents. Without subagents it is absent, because the model could not start one. */
async function withOwnAgents(runtime: Runtime, shelf: InstalledAgents | undefined): Promise<Runtime> {
  if (shelf === undefined) return runtime;
  await shelf.look();
  if (runtime.subagents === undefined) return { ...runtime, agents: shelf };
  return { ...runtime, agents: shelf, sources: withOwnNames([agentsSource(shelf), ...runtime.sources]) };
}

/** @throws AgentError `agent/unknown-agent`. */
async function requireOwnAgent(shelf: InstalledAgents | undefined, name: string): Promise<OwnAgent> {
  await shelf?.look();
  const found = findOwnAgent(shelf, name);
  if (typeof found !== 'string') return found;
  const bad = shelf?.found.bad.find(({ path }) => path.endsWith(`/${name}.md`));
  const message = bad === undefined ? found : `The own agent "${name}" cannot be used: ${bad.reason} (${bad.path})`;
  throw new AgentError('agent/unknown-agent', message, { agent: name });
}
