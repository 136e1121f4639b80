// Known providers: the address and the environment variables of each, and the default provider of a model name.

import type { Catalog } from '@tidemark/model';
import { findModel, nearestModel } from '@tidemark/model';
import type { PresetName } from './presets.ts';
import { PRESETS } from './presets.ts';

/** Name of a provider. `compatible` is any server that supports OpenAI's Chat Completions. */
export type ProviderName = 'anthropic' | 'openai' | 'openrouter' | 'compatible' | PresetName;

/** Title and address of a provider, and the environment variables that contain its key. */
export interface KnownProvider {
  readonly title: string;
  /** Address that is used if the user gives no address. Absent for `compatible`. */
  readonly baseURL?: string;
  /** Environment variable that contains the provider's key. Absent if the provider needs no key. */
  readonly variable?: string;
  /** Environment variable that contains a bearer token, which is sent if there is no key. */
  readonly tokenVariable?: string;
  /**
   * True for a server that supports OpenAI's Chat Completions. If the catalog does not list its model, the model needs
   * a context window. The key of the server is used only for the host of its address.
   */
  readonly compatible?: true;
  /** Page that describes the API of a preset. */
  readonly documentation?: string;
  /** Reason why a preset is not known to work. */
  readonly untested?: string;
}

/** Known providers, by the names that the option `provider` accepts. */
export const PROVIDERS: { readonly [name in ProviderName]: KnownProvider } = {
  anthropic: {
    title: 'Anthropic',
    baseURL: 'https://api.anthropic.com',
    variable: 'ANTHROPIC_API_KEY',
    tokenVariable: 'ANTHROPIC_AUTH_TOKEN',
  },
  openai: { title: 'OpenAI', baseURL: 'https://api.openai.com/v1', variable: 'OPENAI_API_KEY' },
  openrouter: { title: 'OpenRouter', baseURL: 'https://openrouter.ai/api/v1', variable: 'OPENROUTER_API_KEY' },
  compatible: { title: 'a compatible server', compatible: true },
  deepseek: preset('deepseek'),
  groq: preset('groq'),
  mistral: preset('mistral'),
  together: preset('together'),
  fireworks: preset('fireworks'),
  xai: preset('xai'),
  moonshot: preset('moonshot'),
  zai: preset('zai'),
  ollama: preset('ollama'),
  lmstudio: preset('lmstudio'),
  vllm: preset('vllm'),
  llamacpp: preset('llamacpp'),
};

function preset(name: PresetName): KnownProvider {
  const { reasoning: _reasoning, notes: _notes, ...known } = PRESETS[name];
  return { ...known, compatible: true };
}

/** Makers of models. Their catalog rows are searched for a name in this order. */
const MAKERS = ['anthropic', 'openai'] as const;

export function isProviderName(name: string): name is ProviderName {
  return Object.hasOwn(PROVIDERS, name);
}

/** Returns true for `compatible` and for a preset. */
export function isCompatible(name: string): boolean {
  return isProviderName(name) && PROVIDERS[name].compatible === true;
}

/**
 * Returns the default provider of a model. A name with a slash (`anthropic/claude-…`) belongs to OpenRouter. Any other
 * name belongs to its maker. The maker is found by the model's name in the catalog or by its family. Returns
 * `undefined` if the catalog does not contain the name or the family.
 */
export function providerOf(model: string, catalog: Catalog): ProviderName | undefined {
  if (model.includes('/')) return 'openrouter';
  return (
    MAKERS.find((maker) => findModel(catalog, model, maker) !== undefined) ??
    MAKERS.find((maker) => nearestModel(catalog, model, maker) !== undefined)
  );
}

/** Places where the key for a provider at an address can be. */
export interface KeyLocation {
  /** Environment variable. Absent if the host has characters that are not possible in the name of a variable. */
  readonly variable?: string;
  /** Name of the entry in the keyring. */
  readonly entry: string;
  /** True if the provider cannot be used without a key. */
  readonly required: boolean;
}

/**
 * Returns the places of the key for a provider at an address. The key of a compatible server is used only for the host
 * of its address. A preset's own variable and entry are used only for the preset's own host. Any other host has its own
 * variable and its own entry. If the address is changed, the new host therefore never receives the key of another host.
 * Without `baseURL`, the provider's own address is used.
 */
export function keyLocation(name: ProviderName, baseURL?: string): KeyLocation {
  const { variable, compatible, baseURL: own } = PROVIDERS[name];
  const url = URL.parse(baseURL ?? own ?? '');
  if (compatible !== true || url === null || url.origin === URL.parse(own ?? '')?.origin) {
    const named = variable ?? (url === null ? undefined : hostVariable(url));
    return { ...(named !== undefined && { variable: named }), entry: name, required: variable !== undefined };
  }
  const named = hostVariable(url);
  return { ...(named !== undefined && { variable: named }), entry: `${name}@${url.origin}`, required: false };
}

/**
 * Returns the name of the variable with the key for a host: `TIDEMARK_LLM_EXAMPLE_COM___8443_API_KEY` for
 * `llm.example.com:8443`. A hyphen becomes two underscores, so two hosts never have the same variable. Returns
 * `undefined` if the host has other characters than letters, digits, dots and single hyphens inside its labels.
 */
function hostVariable({ hostname, port }: URL): string | undefined {
  if (!/^[a-z0-9]+(?:[.-][a-z0-9]+)*$/.test(hostname)) return undefined;
  const host = hostname.replaceAll('-', '__').replaceAll('.', '_');
  return `TIDEMARK_${host}${port === '' ? '' : `___${port}`}_API_KEY`.toUpperCase();
}
