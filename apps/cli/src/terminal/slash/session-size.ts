// Price of a change that loses the cache of a session: the tokens that are sent again without the cache.

import type { ForecastOptions } from '@tidemark/agent';
import { readFold, THIS_MACHINE } from '@tidemark/agent';
import type { SessionId } from '@tidemark/log';
import type { Capabilities } from '@tidemark/model';
import { costOf, priceAt } from '@tidemark/model';

import { dollars, formatNumber } from '../../frame/numbers.ts';
import { gaugeAtRest } from '../../reports/gauge-at-rest.ts';
import type { SlashPlace } from './slash-command.ts';

/** Settings that the next request would have, and the row of its model. */
export interface NextSettings extends Pick<ForecastOptions, 'model' | 'provider' | 'reasoning'> {
  readonly row: Capabilities | undefined;
}

/**
 * Describes the tokens that the next prompt pays again because of other settings, and their price in addition to the
 * price of reading them. Returns no lines if nothing is paid again. Both numbers are upper bounds, because the model can
 * have a cache entry that the log does not contain, for example of a fork of this session.
 *
 * They come from the forecast of the next call. While a turn runs there is none, and the whole request is assumed to be
 * paid again.
 */
export async function rewriteLines(
  id: SessionId,
  { row, ...settings }: NextSettings,
  place: SlashPlace,
): Promise<readonly string[]> {
  const session = place.controller.session();
  const [now, next] = [await session?.forecast(), await session?.forecast(undefined, settings)];
  if (next === undefined) return linesOfWhole(await nextTokens(id, place), row);
  // Tokens that are paid again in any case, for example after an expiry, are not the price of the change.
  const anyway = now?.rewrite?.tokens ?? 0;
  if (next.rewrite === undefined || next.rewrite.tokens <= anyway) return [];
  const { tokens, cost } = next.rewrite;
  return linesOf(tokens - anyway, costOfShare(cost, (tokens - anyway) / tokens));
}

function costOfShare(cost: string | undefined, share: number): string | undefined {
  return cost === undefined || share === 1 ? cost : String(Number(cost) * share);
}

/** Returns the estimated tokens of the next request. Returns `undefined` before the first request. */
async function nextTokens(id: SessionId, { context }: Pick<SlashPlace, 'context'>): Promise<number | undefined> {
  const store = await context.store();
  const { fold } = await readFold(store, id);
  const { gauge } = await gaugeAtRest({ store, session: id, home: context.home }, fold);
  return gauge?.input;
}

function linesOfWhole(tokens: number | undefined, row: Capabilities | undefined): readonly string[] {
  if (tokens === undefined || row === undefined) return ['The price of the next prompt is unknown.'];
  return linesOf(tokens, extraCost(tokens, row));
}

/** The price has a line of its own, so that a narrow terminal does not cut it off. */
function linesOf(tokens: number, cost: string | undefined): readonly string[] {
  return [
    `At most ${formatNumber(tokens)} tokens are sent again without the cache.`,
    cost === undefined ? 'Their price is unknown.' : `This costs at most ${dollars(cost)} more than reading them.`,
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
