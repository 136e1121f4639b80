// Tells for which models the provider bills the tokens that a call writes to the cache.

import { defaultCatalog, findModel } from '@tidemark/model';

/**
 * True if the catalog has a price of written tokens, and for a model that the catalog does not contain. The Codex
 * variants of a model have no rows of their own.
 */
export function billsWrites(model: string): boolean {
  const row = findModel(defaultCatalog(), model) ?? findModel(defaultCatalog(), model.replace(/-codex.*$/, ''));
  if (row === undefined) return true;
  return row.prices.some(({ tiers }) => tiers.some(({ price }) => Object.keys(price.writes).length > 0));
}
