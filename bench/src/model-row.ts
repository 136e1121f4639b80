// Rows of the catalog by a model's name.

import type { Capabilities } from '@tidemark/model';
import { defaultCatalog, findModel } from '@tidemark/model';

/** The models that benchmarks look at. */
export const MODELS: readonly string[] = ['claude-sonnet-4-5', 'claude-opus-5-5'];

/** A model's row. @throws Error when the catalog has none. */
export function rowOf(model: string): Capabilities {
  const row = findModel(defaultCatalog(), model, 'anthropic');
  if (row === undefined) throw new Error(`the catalog has no ${model}: restore packages/model/data/catalog.json`);
  return row;
}
