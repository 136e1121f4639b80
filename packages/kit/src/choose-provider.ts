// Whom an agent asks: a provider that its author made, or one by name, reached with a key and an address.

import { defined } from '@tidemark/core';
import type { Capabilities, Catalog, Provider } from '@tidemark/model';
import { defaultCatalog, withOverrides } from '@tidemark/model';
import { createAnthropicProvider } from '@tidemark/provider-anthropic';
import { createOpenAIProvider, createOpenRouterProvider } from '@tidemark/provider-openai';
import type { AgentOptions } from './agent-options.ts';
import { findCapabilities, ownCapabilities, unknownModel } from './find-capabilities.ts';
import { KitError } from './kit-error.ts';
import type { ModelReach } from './live-session.ts';
import type { ProviderName } from './providers.ts';
import { PROVIDERS, providerOf } from './providers.ts';

/** A provider, and what its model can do. */
export interface ChosenProvider {
  readonly provider: Provider;
  readonly capabilities: Capabilities;
}

/** @throws KitError `kit/no-key`, `kit/unknown-model`, `kit/bad-options`. @throws CatalogError for a bad `catalog`. */
export function chooseProvider(options: AgentOptions): ChosenProvider {
  const { provider } = options;
  const catalog = catalogOf(options);
  if (typeof provider === 'object') return own(provider, options, catalog);
  const name = nameOf(options);
  if (name === undefined) throw unknownModel(options.model, catalog);
  if (options.transport !== undefined && name !== 'openai') throw idleTransport(PROVIDERS[name].title);
  const capabilities = ownCapabilities(name, options, catalog);
  return { provider: PORTS[name](reachOf(name, options)), capabilities };
}

/**
 * Another model of an agent that is there. A key, an address and a transport that were given are the first provider's: they
 * go with no other.
 *
 * @throws as `chooseProvider`.
 */
export function chooseOther(options: AgentOptions, model: string, reach: ModelReach): ChosenProvider {
  const { apiKey, baseURL, transport, window: _window, provider: _provider, ...rest } = options;
  const before = nameOf(options);
  const other = { ...rest, model, ...reach };
  const stays = nameOf(other) === before && before !== undefined;
  const kept = defined({ apiKey, baseURL, transport });
  return chooseProvider(stays ? { ...kept, ...other } : other);
}

/** The key of a provider by name: the option, else its variable in the environment that was given. */
function keyOf(name: ProviderName, { apiKey, environment = {} }: AgentOptions): string | undefined {
  const { variable } = PROVIDERS[name];
  const key =
    apiKey ?? (variable !== undefined && Object.hasOwn(environment, variable) ? environment[variable] : undefined);
  return key === undefined || key.trim() === '' ? undefined : key;
}

function catalogOf({ catalog: changes }: AgentOptions): Catalog {
  return changes === undefined ? defaultCatalog() : withOverrides(defaultCatalog(), changes);
}

/** `undefined` for a provider of the author's own, and for a model that nobody knows. */
function nameOf(options: AgentOptions): ProviderName | undefined {
  const { provider, model } = options;
  return typeof provider === 'object' ? undefined : (provider ?? providerOf(model, catalogOf(options)));
}

/** What an author made is reached in its own way: an address for it could only be meant for another. */
function own(provider: Provider, options: AgentOptions, catalog: Catalog): ChosenProvider {
  const idle = (['baseURL', 'transport', 'window'] as const).find((name) => options[name] !== undefined);
  if (idle !== undefined)
    throw new KitError(
      'kit/bad-options',
      `\`${idle}\` says nothing to a provider of your own: leave it out, or name one of ${names()} as \`provider\``,
      { problems: [idle] },
    );
  return { provider, capabilities: findCapabilities(options.model, provider.name, catalog) };
}

function idleTransport(title: string): KitError {
  return new KitError('kit/bad-options', `${title} is reached over HTTP alone: leave \`transport\` out`, {
    problems: ['transport'],
  });
}

function names(): string {
  return Object.keys(PROVIDERS).join(', ');
}

/** How a provider is reached. */
interface ProviderReach {
  readonly apiKey: string;
  readonly baseURL?: string;
}

/** How OpenAI is reached. */
interface OpenAIReach extends ProviderReach {
  readonly transport?: 'http' | 'auto';
}

const PORTS: { readonly [name in ProviderName]: (reach: OpenAIReach) => Provider } = {
  anthropic: createAnthropicProvider,
  openai: (reach) => createOpenAIProvider({ ...reach, api: 'responses' }),
  openrouter: createOpenRouterProvider,
  compatible: (reach) => createOpenAIProvider({ ...reach, api: 'chat', compatible: true }),
};

/** What a server that asks for no key is sent in its place. */
const NO_KEY = 'none';

function reachOf(name: ProviderName, options: AgentOptions): OpenAIReach {
  const { baseURL, transport } = options;
  const { title, variable } = PROVIDERS[name];
  if (variable === undefined && baseURL === undefined) {
    const message = `${title} has no address of its own: say it as \`baseURL\`, such as http://127.0.0.1:11434/v1`;
    throw new KitError('kit/bad-options', message, { problems: ['baseURL'] });
  }
  const apiKey = keyOf(name, options) ?? (variable === undefined ? NO_KEY : undefined);
  if (apiKey === undefined)
    throw new KitError(
      'kit/no-key',
      `there is no key for ${title}: give \`apiKey\`, or \`environment: process.env\` with ${variable} set, or another \`provider\``,
      { provider: name, variable },
    );
  return defined({ apiKey, baseURL, transport });
}
