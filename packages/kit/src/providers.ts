// Known providers: the environment variable of each key, and the default provider of a model name.

import type { Catalog } from '@tidemark/model';
import { findModel, nearestModel } from '@tidemark/model';

/** Name of a provider. `compatible` is any server that speaks OpenAI's Chat Completions. */
export type ProviderName = 'anthropic' | 'openai' | 'openrouter' | 'compatible';

/** Title of a provider, and the environment variable that contains its key. */
export interface KnownProvider {
  readonly title: string;
  /** Environment variable that contains the provider's key. Absent if the provider needs no key. */
  readonly variable?: string;
}

/** Known providers, by the names that the option `provider` accepts. */
export const PROVIDERS: { readonly [name in ProviderName]: KnownProvider } = {
  anthropic: { title: 'Anthropic', variable: 'ANTHROPIC_API_KEY' },
  openai: { title: 'OpenAI', variable: 'OPENAI_API_KEY' },
  openrouter: { title: 'OpenRouter', variable: 'OPENROUTER_API_KEY' },
  compatible: { title: 'a compatible server' },
};

/** Makers of models, in the order in which their catalog rows are searched for a name. */
const MAKERS = ['anthropic', 'openai'] as const;

export function isProviderName(name: string): name is ProviderName {
  return Object.hasOwn(PROVIDERS, name);
}

/**
 * Returns the default provider of a model. A name with a slash (`anthropic/claude-…`) belongs to OpenRouter. Any other
 * name belongs to its maker, which is found by the model's name in the catalog or by its family. Returns `undefined` if
 * the catalog knows neither the name nor the family.
 */
export function providerOf(model: string, catalog: Catalog): ProviderName | undefined {
  if (model.includes('/')) return 'openrouter';
  return (
    MAKERS.find((maker) => findModel(catalog, model, maker) !== undefined) ??
    MAKERS.find((maker) => nearestModel(catalog, model, maker) !== undefined)
  );
}
