// Chooses the provider of an agent: one that the author made, or a named one with its key and address.

import { defined } from '@tidemark/core';
import type { ModelReach } from '@tidemark/agent';
import { parameterProblem } from '@tidemark/agent';
import type { RenderParameters } from '@tidemark/log';
import type { Capabilities, Catalog, Provider } from '@tidemark/model';
import { defaultCatalog, nameParameters, withOverrides } from '@tidemark/model';
import { createAnthropicProvider } from '@tidemark/provider-anthropic';
import { createOpenAIProvider, createOpenRouterProvider } from '@tidemark/provider-openai';
import type { AgentOptions } from './agent-options.ts';
import { findCapabilities, ownCapabilities, unknownModel } from './find-capabilities.ts';
import { KitError } from './kit-error.ts';

import type { ProviderName } from './providers.ts';
import { isProviderName, PROVIDERS, providerOf } from './providers.ts';

/** A provider, and the capabilities of the model that the agent uses. */
export interface ChosenProvider {
  readonly provider: Provider;
  readonly capabilities: Capabilities;
}

/**
 * Chooses the provider and the capabilities of the model.
 *
 * @throws KitError `kit/no-key`, `kit/unknown-model`, `kit/bad-options`.
 * @throws CatalogError for bad `modelOptions.catalog`.
 */
export function chooseProvider(options: AgentOptions): ChosenProvider {
  const { provider } = options;
  const catalog = catalogOf(options);
  if (typeof provider === 'object') return own(provider, options, catalog);
  const name = nameOf(options);
  if (name === undefined) throw unknownModel(options.model, catalog);
  if (options.connection?.transport !== undefined && name !== 'openai') throw idleTransport(PROVIDERS[name].title);
  const capabilities = ownCapabilities(name, options, catalog);
  return { provider: PORTS[name](reachOf(name, options)), capabilities };
}

/**
 * Chooses another model for an existing agent. The options `apiKey`, `baseURL` and `transport` belong to the agent's
 * first provider, so they are dropped if the provider changes.
 *
 * @throws as `chooseProvider`.
 */
export function chooseOther(options: AgentOptions, model: string, reach: ModelReach): ChosenProvider {
  const { apiKey, baseURL, provider: _provider, connection = {}, modelOptions = {}, ...rest } = options;
  const { transport, ...sending } = connection;
  const { contextWindow: _window, ...settings } = modelOptions;
  const { contextWindow, baseURL: address } = reach;
  const provider = typeof reach.provider === 'string' ? providerNamed(reach.provider) : reach.provider;
  const before = nameOf(options);
  const other = {
    ...rest,
    model,
    modelOptions: { ...settings, ...defined({ contextWindow }) },
    ...defined({ provider, baseURL: address }),
  };
  const stays = nameOf(other) === before && before !== undefined;
  if (!stays) return chooseProvider({ ...other, connection: sending });
  return chooseProvider({
    ...defined({ apiKey, baseURL }),
    ...other,
    connection: { ...sending, ...defined({ transport }) },
  });
}

function providerNamed(name: string): ProviderName {
  if (isProviderName(name)) return name;
  throw new KitError('kit/bad-options', `there is no provider "${name}": use one of ${names()}`, {
    problems: ['provider'],
  });
}

/**
 * Returns the key of a named provider: the option `apiKey`, otherwise the provider's variable in the option
 * `host.environment`. A blank key is `undefined`.
 */
function keyOf(name: ProviderName, { apiKey, host: { environment = {} } = {} }: AgentOptions): string | undefined {
  const { variable } = PROVIDERS[name];
  const key =
    apiKey ?? (variable !== undefined && Object.hasOwn(environment, variable) ? environment[variable] : undefined);
  return key === undefined || key.trim() === '' ? undefined : key;
}

function catalogOf({ modelOptions }: AgentOptions): Catalog {
  const changes = modelOptions?.catalog;
  return changes === undefined ? defaultCatalog() : withOverrides(defaultCatalog(), changes);
}

/**
 * Returns the name of the provider. `undefined` for a provider that the author made, and for a model without a known
 * provider.
 */
function nameOf(options: AgentOptions): ProviderName | undefined {
  const { provider, model } = options;
  return typeof provider === 'object' ? undefined : (provider ?? providerOf(model, catalogOf(options)));
}

/**
 * Refuses the option `apiKey` if no provider is named and the model name has a slash. Here such a name selects
 * OpenRouter, but other libraries use it for the maker of the model, so the key could be sent to the wrong service.
 *
 * @throws KitError `kit/bad-options`.
 */
export function requireReachable({ provider, apiKey, model }: AgentOptions): void {
  if (provider !== undefined || apiKey === undefined || !model.includes('/')) return;
  const [maker = '', ...name] = model.split('/');
  const other = isProviderName(maker) ? `, or set \`model\` to ${maker}'s own name, such as "${name.join('/')}"` : '';
  const message = `"${model}" is a model name of OpenRouter, which would get the key: set \`provider: "openrouter"\`${other}`;
  throw new KitError('kit/bad-options', message, { problems: ['provider'] });
}

/**
 * Returns the render parameters by the names of the model's catalog row: `{ reasoning: { effort } }` and `effort` are
 * one parameter.
 *
 * @throws KitError `kit/bad-options` for a parameter that the row does not have. It would not be sent.
 */
export function chooseParameters({ modelOptions }: AgentOptions, capabilities: Capabilities): RenderParameters {
  const named = nameParameters(modelOptions?.parameters ?? {}, capabilities);
  if ('parameters' in named) return named.parameters;
  const message = parameterProblem(named, capabilities);
  throw new KitError('kit/bad-options', `${message} (in \`modelOptions.parameters\`)`, {
    problems: ['modelOptions.parameters'],
  });
}

/**
 * Returns a provider that the author made, and the capabilities of the model. The provider has its own connection, so
 * `baseURL`, `connection.transport` and `modelOptions.contextWindow` would have no effect and are refused.
 */
function own(provider: Provider, options: AgentOptions, catalog: Catalog): ChosenProvider {
  const { baseURL, connection, modelOptions } = options;
  const unused = {
    baseURL,
    'connection.transport': connection?.transport,
    'modelOptions.contextWindow': modelOptions?.contextWindow,
  };
  const [idle] = Object.keys(defined(unused));
  if (idle !== undefined)
    throw new KitError(
      'kit/bad-options',
      `\`${idle}\` cannot be combined with a provider of your own: remove it, or set \`provider\` to one of ${names()}`,
      { problems: [idle] },
    );
  return { provider, capabilities: findCapabilities(options.model, provider.name, catalog) };
}

function idleTransport(title: string): KitError {
  return new KitError('kit/bad-options', `${title} supports only HTTP: remove \`connection.transport\``, {
    problems: ['connection.transport'],
  });
}

function names(): string {
  return Object.keys(PROVIDERS).join(', ');
}

interface ProviderReach {
  readonly apiKey: string;
  readonly baseURL?: string;
}

interface OpenAIReach extends ProviderReach {
  readonly transport?: 'http' | 'auto';
}

const PORTS: { readonly [name in ProviderName]: (reach: OpenAIReach) => Provider } = {
  anthropic: createAnthropicProvider,
  openai: (reach) => createOpenAIProvider({ ...reach, api: 'responses' }),
  openrouter: createOpenRouterProvider,
  compatible: (reach) => createOpenAIProvider({ ...reach, api: 'chat', compatible: true }),
};

/** Placeholder key for a compatible server, which may not need a key. */
const NO_KEY = 'none';

function reachOf(name: ProviderName, options: AgentOptions): OpenAIReach {
  const { baseURL, connection } = options;
  const { title, variable } = PROVIDERS[name];
  if (variable === undefined && baseURL === undefined) {
    const message = `${title} has no default address: set \`baseURL\`, such as http://127.0.0.1:11434/v1`;
    throw new KitError('kit/bad-options', message, { problems: ['baseURL'] });
  }
  const apiKey = keyOf(name, options) ?? (variable === undefined ? NO_KEY : undefined);
  if (apiKey === undefined)
    throw new KitError(
      'kit/no-key',
      `there is no API key for ${title}: set \`apiKey\`, or \`host: { environment: process.env }\` with the variable ${variable}, or use another \`provider\``,
      { provider: name, variable },
    );
  return defined({ apiKey, baseURL, transport: connection?.transport });
}
