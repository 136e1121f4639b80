// Line about a new epoch: what it writes to the cache again, and its price.

import type { EpochOpened } from '@tidemark/log';

import { dollars, formatNumber } from '../frame/numbers.ts';

/** Smallest rewrite that is reported: its tokens, or its additional cost in US dollars. */
const NOTABLE_REWRITE = { tokens: 1_000, cost: 0.01 };

/**
 * Formats the rewrite of a new epoch: `epoch 2 (tools): about 12,480 tokens are written again, $0.0300`. Returns
 * `undefined` for a rewrite that is too small to interrupt a person. `tidemark cache`, `cost` and `why` report it.
 */
export function epochLine({
  cause,
  forecast,
  number,
}: Pick<EpochOpened, 'cause' | 'forecast' | 'number'>): string | undefined {
  const { rewrite, cost } = forecast;
  if (rewrite === 0 || (rewrite < NOTABLE_REWRITE.tokens && Number(cost ?? 0) < NOTABLE_REWRITE.cost)) return undefined;
  const price = cost === undefined ? '' : `, ${dollars(cost)}`;
  return `epoch ${number} (${cause}): about ${formatNumber(rewrite)} tokens are written again${price}`;
}
