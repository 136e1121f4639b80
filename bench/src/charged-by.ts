// Provides the prices of a model, from which the cost of a stream of calls is computed.

import { unitPrice } from '@tidemark/context';
import { timestamp } from '@tidemark/log';

import type { Charged } from './lives-played.ts';
import { rowOf } from './model-row.ts';

const TODAY = timestamp('2026-11-20T00:00:00.000Z');

/**
 * Returns the catalog row of a model and its price on 2026-11-20.
 * @throws Error if the catalog has no price.
 */
export function chargedBy(model: string): Charged {
  const capabilities = rowOf(model);
  const price = unitPrice(capabilities, TODAY, 0);
  if (price === undefined)
    throw new Error(`the catalog has no price of ${model}: restore packages/model/data/catalog.json`);
  return { capabilities, price };
}
