// The providers that are known by name: where each has its key, and whom a model is asked of where nobody says it.

import type { Catalog } from '@tidemark/model';
import { findModel, nearestModel } from '@tidemark/model';

/** A provider by name. `compatible` is any server that speaks OpenAI's Chat Completions. */
export type ProviderName = 'anthropic' | 'openai' | 'openrouter' | 'compatible';

/** What is known of a provider before it is asked. */
export interface KnownProvider {
  readonly title: string;
  /** The variable that its key is read from, where it needs one. */
  readonly variable?: string;
}

/** Every provider. */
export const PROVIDERS: { readonly [name in ProviderName]: KnownProvider } = {
  anthropic: { title: 'Anthropic', variable: 'ANTHROPIC_API_KEY' },
  openai: { title: 'OpenAI', variable: 'OPENAI_API_KEY' },
  openrouter: { title: 'OpenRouter', variable: 'OPENROUTER_API_KEY' },
  compatible: { title: 'a compatible server' },
};

/** Makers, in the order in which they are looked at for a model. */
const MAKERS = ['anthropic', 'openai'] as const;

/** Whether a text is the name of a provider. */
export function isProviderName(name: string): name is ProviderName {
  return Object.hasOwn(PROVIDERS, name);
}

/**
 * Whom a model is asked of where nobody says it. A router's name says the maker first (`anthropic/claude-…`), so it is
 * asked of the router; any other of its maker, by any name that the catalog has for it, or by its family. `undefined`
 * where the catalog knows neither.
 */
export function providerOf(model: string, catalog: Catalog): ProviderName | undefined {
  if (model.includes('/')) return 'openrouter';
  return (
    MAKERS.find((maker) => findModel(catalog, model, maker) !== undefined) ??
    MAKERS.find((maker) => nearestModel(catalog, model, maker) !== undefined)
  );
}
