// The catalog that comes with this release: `data/catalog.json`, made by `scripts/make-catalog.ts`.

import data from '../data/catalog.json' with { type: 'json' };
import type { Catalog } from './catalog.ts';
import { parseCatalog } from './parse-catalog.ts';

let parsed: Catalog | undefined;

/** The shipped catalog, validated at its first use; always the same value. */
export function defaultCatalog(): Catalog {
  parsed ??= parseCatalog(data);
  return parsed;
}
