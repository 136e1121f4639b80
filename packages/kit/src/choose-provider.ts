// Chooses the provider of an agent: a provider that the author made, or a named provider with its key and address.

import { defined } from '@tidemark/core';
import type { ModelReach } from '@tidemark/agent';
import { parameterProblem } from '@tidemark/agent';
import type { RenderParameters } from '@tidemark/log';
import type { Capabilities, Catalog, Provider } from '@tidemark/model';
import { defaultCatalog, nameParameters, withOverrides } from '@tidemark/model';
import { createAnthropicProvider } from '@tidemark/provider-anthropic';
import {
  COMPATIBLE_RESERVED,
  createCompatibleProvider,
  createOpenAIProvider,
  createOpenRouterProvider,
} from '@tidemark/provider-openai';
import type { AgentEnvironment, AgentOptions, ConnectionOptions } from './agent-options.ts';
import { findCapabilities, ownCapabilities, unknownModel } from './find-capabilities.ts';
import { KitError } from './kit-error.ts';
import type { PresetName } from './presets.ts';
import { PRESETS } from './presets.ts';
import type { ProviderName } from './providers.ts';
import { isCompatible, isProviderName, keyLocation, PROVIDERS, providerOf } from './providers.ts';

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
  requireConnection(name, options);
  const capabilities = ownCapabilities(name, options, catalog);
  return { provider: openPort(name, reachOf(name, options)), capabilities };
}

/**
 * Chooses another model for an existing agent. The options `apiKey`, `baseURL`, `headers`, `bearerToken` and
 * `transport` belong to the agent's first provider. If the provider changes, they are dropped.
 *
 * @throws as `chooseProvider`.
 */
export function chooseOther(options: AgentOptions, model: string, reach: ModelReach): ChosenProvider {
  const { apiKey, baseURL, provider: _provider, connection = {}, modelOptions = {}, otherProviders, ...rest } = options;
  const { transport, headers, bearerToken, ...sending } = connection;
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
  if (!stays) {
    const name = nameOf(other);
    const reached = name === undefined ? undefined : otherProviders?.[name];
    return chooseProvider({ ...reached, ...other, connection: sending });
  }
  return chooseProvider({
    ...defined({ apiKey, baseURL }),
    ...other,
    connection: { ...sending, ...defined({ transport, headers, bearerToken }) },
  });
}

function providerNamed(name: string): ProviderName {
  if (isProviderName(name)) return name;
  throw new KitError('kit/bad-options', `there is no provider "${name}": use one of ${names()}`, {
    problems: ['provider'],
  });
}

/**
 * Returns the key of a named provider. This is the option `apiKey`, or else the variable of the provider and its
 * address in the option `host.environment`. If the key is blank, returns `undefined`.
 */
function keyOf(name: ProviderName, { apiKey, baseURL, host }: AgentOptions): string | undefined {
  return notBlank(apiKey ?? valueOf(keyLocation(name, baseURL).variable, host?.environment));
}

function valueOf(variable: string | undefined, environment: AgentEnvironment = {}): string | undefined {
  return variable !== undefined && Object.hasOwn(environment, variable) ? environment[variable] : undefined;
}

function notBlank(text: string | undefined): string | undefined {
  return text === undefined || text.trim() === '' ? undefined : text;
}

/** Returns the catalog with the author's changes. */
export function catalogOf({ modelOptions }: AgentOptions): Catalog {
  const changes = modelOptions?.catalog;
  return changes === undefined ? defaultCatalog() : withOverrides(defaultCatalog(), changes);
}

/**
 * Returns the name of the provider. Returns `undefined` for a provider that the author made, and for a model without a
 * known provider.
 */
export function nameOf(options: AgentOptions): ProviderName | undefined {
  const { provider, model } = options;
  return typeof provider === 'object' ? undefined : (provider ?? providerOf(model, catalogOf(options)));
}

/**
 * Refuses the option `apiKey` if no provider is named and the model name has a slash. Here such a name selects
 * OpenRouter. In other libraries, the part before the slash names the maker of the model. The key could therefore be
 * sent to the wrong service.
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
 * Returns the render parameters under the names of the model's catalog row: `{ reasoning: { effort } }` and `effort`
 * are one parameter. A compatible server accepts any name, except the names of fields that Tidemark writes itself.
 *
 * @throws KitError `kit/bad-options` if the row does not have a parameter. Such a parameter would not be sent.
 */
export function chooseParameters({ modelOptions }: AgentOptions, capabilities: Capabilities): RenderParameters {
  const given = modelOptions?.parameters ?? {};
  const reserved = isCompatible(capabilities.provider)
    ? Object.keys(given).find((name) => COMPATIBLE_RESERVED.has(name))
    : undefined;
  if (reserved !== undefined) {
    const next = reserved.startsWith('max_') ? 'use `maxOutputTokens`' : 'remove it';
    throw badParameter(`"${reserved}" is a field that Tidemark writes itself: ${next}`);
  }
  const named = nameParameters(given, capabilities);
  if ('parameters' in named) return named.parameters;
  throw badParameter(parameterProblem(named, capabilities));
}

function badParameter(problem: string): KitError {
  return new KitError('kit/bad-options', `${problem} (in \`modelOptions.parameters\`)`, {
    problems: ['modelOptions.parameters'],
  });
}

/**
 * Returns a provider that the author made, and the capabilities of the model. The provider has its own connection.
 * `baseURL`, `modelOptions.contextWindow` and the options of the connection would have no effect, so they are refused.
 */
function own(provider: Provider, options: AgentOptions, catalog: Catalog): ChosenProvider {
  const { baseURL, connection, modelOptions } = options;
  const unused = {
    baseURL,
    'connection.transport': connection?.transport,
    'connection.headers': connection?.headers,
    'connection.bearerToken': connection?.bearerToken,
    'connection.fetch': connection?.fetch,
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

/** @throws KitError `kit/bad-options` for options of the connection that cannot be combined. */
function requireConnection(name: ProviderName, { apiKey, connection = {} }: AgentOptions): void {
  const { transport, fetch, bearerToken } = connection;
  const refuse = (option: string, message: string): KitError =>
    new KitError('kit/bad-options', message, { problems: [option] });
  if (transport !== undefined && name !== 'openai')
    throw refuse(
      'connection.transport',
      `${PROVIDERS[name].title} supports only HTTP: remove \`connection.transport\``,
    );
  if (apiKey !== undefined && bearerToken !== undefined)
    throw refuse('connection.bearerToken', '`apiKey` and `connection.bearerToken` cannot be combined: use one of them');
  if (transport !== 'auto') return;
  const idle = fetch !== undefined ? 'fetch' : typeof bearerToken === 'function' ? 'bearerToken' : undefined;
  if (idle === undefined) return;
  const message = `a WebSocket does not use the function \`connection.${idle}\`: remove it, or remove \`connection.transport\``;
  throw refuse(`connection.${idle}`, message);
}

function names(): string {
  return Object.keys(PROVIDERS).join(', ');
}

interface ProviderReach extends Pick<ConnectionOptions, 'headers' | 'bearerToken' | 'fetch' | 'transport'> {
  readonly apiKey: string;
  /** Address that the author set. Absent for the provider's own address. */
  readonly baseURL?: string;
}

function openPort(name: ProviderName, reach: ProviderReach): Provider {
  const { transport: _onlyOfOpenAI, ...rest } = reach;
  switch (name) {
    case 'anthropic':
      return createAnthropicProvider(rest);
    case 'openai':
      return createOpenAIProvider({ ...reach, api: 'responses' });
    case 'openrouter':
      return createOpenRouterProvider(rest);
    case 'compatible':
      return createCompatibleProvider({ ...rest, baseURL: addressIn(name, rest) });
    default:
      return openPreset(name, rest);
  }
}

function openPreset(name: PresetName, reach: ProviderReach): Provider {
  const { title, reasoning } = PRESETS[name];
  return createCompatibleProvider({
    ...reach,
    baseURL: addressIn(name, reach),
    server: { name, title },
    ...defined({ reasoning }),
  });
}

/**
 * Returns the address of the provider.
 *
 * @throws KitError `kit/bad-options` if the provider has no default address and the author set no address.
 */
function addressIn(name: ProviderName, { baseURL }: Pick<ProviderReach, 'baseURL'>): string {
  const { title, baseURL: usual } = PROVIDERS[name];
  const address = baseURL ?? usual;
  if (address !== undefined) return address;
  const message = `${title} has no default address: set \`baseURL\`, such as http://127.0.0.1:11434/v1`;
  throw new KitError('kit/bad-options', message, { problems: ['baseURL'] });
}

/** Placeholder key. It is used for a server that needs no key, and for a request with a bearer token. */
const NO_KEY = 'none';

function reachOf(name: ProviderName, options: AgentOptions): ProviderReach {
  const { baseURL, connection = {}, host } = options;
  const { headers, fetch, transport } = connection;
  const { title, tokenVariable } = PROVIDERS[name];
  addressIn(name, options);
  const { required, variable } = keyLocation(name, baseURL);
  const key = connection.bearerToken === undefined ? keyOf(name, options) : undefined;
  const token = key === undefined ? notBlank(valueOf(tokenVariable, host?.environment)) : undefined;
  const bearerToken = connection.bearerToken ?? token;
  const apiKey = key ?? (required && bearerToken === undefined ? undefined : NO_KEY);
  if (apiKey === undefined)
    throw new KitError(
      'kit/no-key',
      `there is no API key for ${title}: set \`apiKey\`, or \`host: { environment: process.env }\` with the variable ${variable}, or use another \`provider\``,
      { provider: name, variable },
    );
  return defined({ apiKey, baseURL, transport, headers, fetch, bearerToken });
}
