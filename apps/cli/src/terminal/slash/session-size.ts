// Size of a session, and the price of sending it again without the cache.

import { foldLog, THIS_MACHINE } from '@tidemark/agent';
import type { SessionId } from '@tidemark/log';
import type { Capabilities } from '@tidemark/model';
import { costOf, priceAt } from '@tidemark/model';

import { dollars, formatNumber } from '../../frame/numbers.ts';
import { gaugeAtRest } from '../../reports/gauge-at-rest.ts';
import type { SlashPlace } from './slash-command.ts';

/** Returns the estimated tokens of the next request. Returns `undefined` before the first request. */
export async function nextTokens(id: SessionId, { context }: Pick<SlashPlace, 'context'>): Promise<number | undefined> {
  const store = await context.store();
  const gauge = await gaugeAtRest(store.artifacts, await foldLog(store, id), context.home);
  return gauge?.input;
}

/**
 * Describes the tokens that a model has to process again with the next prompt, and their price in addition to the price
 * of reading them from the cache. Both are upper bounds, because the model can still have a cache entry, for example of
 * the session that this one was forked from. The price has a line of its own, so that a narrow terminal does not cut it
 * off. An unknown price is reported as unknown.
 */
export function rewriteLines(tokens: number | undefined, row: Capabilities | undefined): readonly string[] {
  if (tokens === undefined || row === undefined) return ['The price of the next prompt is unknown.'];
  const extra = extraCost(tokens, row);
  return [
    `At most ${formatNumber(tokens)} tokens are sent again without the cache.`,
    extra === undefined ? 'Their price is unknown.' : `This costs at most ${dollars(extra)} more than reading them.`,
  ];
}

function extraCost(tokens: number, row: Capabilities): string | undefined {
  const price = priceAt(row, THIS_MACHINE.now().slice(0, 10), tokens);
  if (price === undefined) return undefined;
  const [ttl] = row.markers === 'explicit' ? row.ttls : [];
  const again = ttl === undefined ? { fresh: tokens, writes: [] } : { fresh: 0, writes: [{ ttl, tokens }] };
  const paid = costOf(price, { ...again, read: 0, answer: 0 });
  const read = costOf(price, { fresh: 0, read: tokens, writes: [], answer: 0 });
  return paid === undefined || read === undefined
    ? undefined
    : String(Math.max(0, Number(paid.total) - Number(read.total)));
}
