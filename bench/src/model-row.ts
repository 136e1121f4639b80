// Rows of the catalog by a model's name.

import type { Capabilities } from '@tidemark/model';
import { defaultCatalog, findModel } from '@tidemark/model';

/** The models that benchmarks look at. */
export const MODELS: readonly string[] = ['claude-sonnet-4-5', 'claude-opus-5-5'];

/** Those of each provider: explicit markers, the same behind a router, entries at message ends, and a grid of tokens. */
export const PROVIDER_MODELS: readonly string[] = [
  ...MODELS,
  'anthropic/claude-sonnet-4.6',
  'gpt-5.6-sol',
  'gpt-6.1-sol',
  'gpt-5.5',
  'gpt-5.4',
];

/** A model's row. @throws Error when the catalog has none. */
export function rowOf(model: string): Capabilities {
  const row = findModel(defaultCatalog(), model);
  if (row === undefined) throw new Error(`the catalog has no ${model}: restore packages/model/data/catalog.json`);
  return row;
}

/** The row by which a model's cache works: behind a router that of its maker. */
export function upstreamOf(row: Capabilities): Capabilities {
  return row.provider === 'openrouter' ? (findModel(defaultCatalog(), row.model, 'anthropic') ?? row) : row;
}

/** How much of a prefix of so many tokens can be read: on a grid of entries not all, else to the token. */
export function readableOf(tokens: number, { implicit }: Capabilities): number {
  if (implicit?.at !== 'grid') return tokens;
  const { first, step } = implicit;
  return tokens < first ? 0 : tokens - ((tokens - first) % step);
}
