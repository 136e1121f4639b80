// What a promotion showed goes into the user's catalog: verified on a day; or, where it was verified once and does not hold
// any more, unverified again.

import type { Capabilities } from '@tidemark/model';

import { changeOwnCatalog } from '../settings/own-catalog.ts';
import type { Promotion } from './promotion.ts';

/** Whose promotion it was, and where it is written down. */
export interface KeptOf {
  readonly row: Pick<Capabilities, 'provider' | 'model' | 'promotes'>;
  /** `YYYY-MM-DD` */
  readonly day: string;
  readonly home: string;
}

/** Whether something was written down. @throws as `changeOwnCatalog` does. */
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
