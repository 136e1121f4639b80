// Rows of the catalog by a model's name.

import type { Capabilities } from '@tidemark/model';
import { defaultCatalog, findModel } from '@tidemark/model';

/** The models that benchmarks look at. */
export const MODELS: readonly string[] = ['claude-sonnet-4-5', 'claude-opus-5-5'];

/** Those of each provider: explicit markers, entries at message ends, and a grid of tokens. */
export const PROVIDER_MODELS: readonly string[] = [...MODELS, 'gpt-5.6-sol', 'gpt-6.1-sol', 'gpt-5.5', 'gpt-5.4'];

/** A model's row. @throws Error when the catalog has none. */
export function rowOf(model: string): Capabilities {
  const row = findModel(defaultCatalog(), model);
  if (row === undefined) throw new Error(`the catalog has no ${model}: restore packages/model/data/catalog.json`);
  return row;
}

/** Lengths of prefixes that can be read: from `first` on in steps. */
export interface Grid {
  readonly first: number;
  readonly step: number;
}

/** The grid of a model that caches without selling writes (facts §2.1); others read to the token. */
export function gridOf({ provider, model, ttls }: Capabilities): Grid | undefined {
  if (provider !== 'openai' || ttls.length > 0) return undefined;
  return model === 'gpt-5.5' ? { first: 2_048, step: 2_048 } : { first: 1_024, step: 128 };
}

/** How much of a prefix of so many tokens can be read. */
export function readableOf(tokens: number, grid: Grid | undefined): number {
  if (grid === undefined) return tokens;
  const { first, step } = grid;
  return tokens < first ? 0 : tokens - ((tokens - first) % step);
}
