// Stores the result of a promotion test in the user's catalog. The result is `verified` with the day. If a former
// promotion no longer works, the result is `unverified` again.

import type { Capabilities } from '@tidemark/model';

import { changeOwnCatalog } from '../settings/own-catalog.ts';
import type { Promotion } from './promotion.ts';

/** Model of the promotion test, and the home to store the result in. */
export interface KeptOf {
  readonly row: Pick<Capabilities, 'provider' | 'model' | 'promotes'>;
  /** Day of the test, as `YYYY-MM-DD`. */
  readonly day: string;
  readonly home: string;
}

/**
 * Stores the result of a promotion test. Returns true if the catalog was changed. If the result is unclear, nothing is
 * changed.
 *
 * @throws the same errors as `changeOwnCatalog`.
 */
export async function keepPromotion({ outcome }: Pick<Promotion, 'outcome'>, kept: KeptOf): Promise<boolean> {
  const { row, day, home } = kept;
  const { provider, model } = row;
  if (outcome === 'promotes') {
    await changeOwnCatalog(home, { provider, model, promotes: { verified: day } });
    return true;
  }
  if (outcome === 'unclear' || typeof row.promotes === 'string') return false;
  await changeOwnCatalog(home, { provider, model, promotes: 'unverified' });
  return true;
}
