// Catalog: the abilities and prices of each model, one row per provider and model. `parse-catalog.ts` validates the
// data, so the rest of the code does not check the data again.

import { CodedError } from '@tidemark/core';
import type { Capabilities } from './capabilities.ts';

/** A validated catalog. No two rows of a provider share a name or an alias. */
export interface Catalog {
  /** Revision of the file format. */
  readonly revision: 1;
  /** Day of the last review of the whole catalog, `YYYY-MM-DD`. Each row has its own date. */
  readonly asOf: string;
  readonly rows: readonly Capabilities[];
}

/** Error codes for an invalid catalog, or for invalid user changes to it. */
export type CatalogErrorCode = 'catalog/invalid' | 'catalog/override-invalid' | 'catalog/row-incomplete';

/** One invalid value and its path, for example `rows[3].prices[0].from`. */
export interface CatalogIssue {
  readonly path: string;
  readonly problem: string;
  /** `provider/model` of the row that contains the value. Absent if the row cannot be determined. */
  readonly row?: string;
}

/** A catalog or an override that cannot be used. The user must correct the named fields and load the file again. */
export class CatalogError extends CodedError<CatalogErrorCode, { readonly issues: readonly CatalogIssue[] }> {
  override readonly name = 'CatalogError';

  constructor(code: CatalogErrorCode, message: string, issues: readonly CatalogIssue[], cause?: unknown) {
    super(code, message, { issues }, cause);
  }
}
