// The catalog that comes with this release: `data/catalog.json`, made by `scripts/make-catalog.ts`.

import data from '../data/catalog.json' with { type: 'json' };
import type { Catalog } from './catalog.ts';

// It went through its door when it was made, and does again in each run of the tests: a start, of which that is a tenth, goes by it.
// oxlint-disable-next-line typescript/no-unsafe-type-assertion
const CATALOG = data as unknown as Catalog;

/** The shipped catalog; always the same value. */
export function defaultCatalog(): Catalog {
  return CATALOG;
}
