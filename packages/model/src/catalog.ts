// The catalog: what each model can do and costs, one row per provider and model. Made of data that was validated at
// the door; the rest of the code trusts it.

import { CodedError } from '@tidemark/core';
import type { Capabilities } from './capabilities.ts';

/** A validated catalog. No two rows share a provider and a name, aliases included. */
export interface Catalog {
  /** Of the file's shape. */
  readonly revision: 1;
  /** The day the whole was last looked over, `YYYY-MM-DD`; each row has its own. */
  readonly asOf: string;
  readonly rows: readonly Capabilities[];
}

/** Codes of what is wrong with a catalog or with a user's changes to it. */
export type CatalogErrorCode = 'catalog/invalid' | 'catalog/override-invalid' | 'catalog/row-incomplete';

/** One thing that is wrong, and where: `rows[3].prices[0].from`. */
export interface CatalogIssue {
  readonly path: string;
  readonly problem: string;
  /** `provider/model` of the row it lies in, where that can be told. */
  readonly row?: string;
}

/** A catalog or an override that cannot be used. To the user: mend the named fields and load it again. */
export class CatalogError extends CodedError<CatalogErrorCode, { readonly issues: readonly CatalogIssue[] }> {
  override readonly name = 'CatalogError';

  constructor(code: CatalogErrorCode, message: string, issues: readonly CatalogIssue[], cause?: unknown) {
    super(code, message, { issues }, cause);
  }
}
