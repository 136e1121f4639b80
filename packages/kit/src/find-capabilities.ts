// What the chosen model can do, from the catalog and the author's changes to it.

import { nearestName } from '@tidemark/agent';
import type { Capabilities, Catalog, NearestModel } from '@tidemark/model';
import { defaultCatalog, findModel, nearestModel, withOverrides } from '@tidemark/model';
import { KitError } from './kit-error.ts';

/**
 * The row of a model: the provider's own, else that of its maker. A Claude model that is not in the catalog yet is taken
 * to be like the nearest one of its family, its prices unknown (L7).
 *
 * @throws KitError `kit/unknown-model`. @throws CatalogError for changes that cannot be used.
 */
export function findCapabilities(model: string, provider: string, changes: unknown): Capabilities {
  const catalog = changes === undefined ? defaultCatalog() : withOverrides(defaultCatalog(), changes);
  const found = findModel(catalog, model, provider) ?? findModel(catalog, model);
  if (found !== undefined) return found;
  const nearest = nearestModel(catalog, model, provider) ?? nearestModel(catalog, model);
  if (nearest === undefined) throw unknownModel(catalog, model, provider);
  return standIn(model, nearest);
}

function standIn(model: string, { capabilities }: NearestModel): Capabilities {
  const source = `stands in for a model that the catalog does not know: ${capabilities.model}; ${capabilities.source}`;
  return { ...capabilities, model, aliases: [], prices: [], source };
}

function unknownModel(catalog: Catalog, model: string, provider: string): KitError {
  const names = catalog.rows.filter((row) => row.provider === provider).map((row) => row.model);
  const nearest = nearestName(model, names);
  const next = nearest === undefined ? 'add its row by the option `catalog`' : `did you mean ${nearest}?`;
  return new KitError(
    'kit/unknown-model',
    `the catalog knows no model ${JSON.stringify(model)} of ${provider}: ${next}`,
    {
      model,
      provider,
    },
  );
}
