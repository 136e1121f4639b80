// Catalog rows of models by name.

import type { Capabilities } from '@tidemark/model';
import { defaultCatalog, findModel } from '@tidemark/model';

/** Models that most benchmarks use. */
export const MODELS: readonly string[] = ['claude-sonnet-4-5', 'claude-opus-5-5'];

/**
 * Models of every provider, with these kinds of cache: explicit markers, explicit markers through a router, entries at
 * the ends of messages, and entries at multiples of a fixed number of tokens (a grid).
 */
export const PROVIDER_MODELS: readonly string[] = [
  ...MODELS,
  'anthropic/claude-sonnet-4.6',
  'gpt-5.6-sol',
  'gpt-6.1-sol',
  'gpt-5.5',
  'gpt-5.4',
];

/**
 * Returns the catalog row of a model.
 * @throws Error if the catalog has no such row.
 */
export function rowOf(model: string): Capabilities {
  const row = findModel(defaultCatalog(), model);
  if (row === undefined) throw new Error(`the catalog has no ${model}: restore packages/model/data/catalog.json`);
  return row;
}

/**
 * Returns the row that describes the model's cache. For a model reached through OpenRouter, this is the row of the same
 * model at Anthropic, if there is one.
 */
export function upstreamOf(row: Capabilities): Capabilities {
  return row.provider === 'openrouter' ? (findModel(defaultCatalog(), row.model, 'anthropic') ?? row) : row;
}

/**
 * Returns how many tokens of a prefix can be read from the cache. If the model caches entries only at multiples of a
 * step (a grid), the number is rounded down to the grid.
 */
export function readableOf(tokens: number, { implicit }: Capabilities): number {
  if (implicit?.at !== 'grid') return tokens;
  const { first, step } = implicit;
  return tokens < first ? 0 : tokens - ((tokens - first) % step);
}
