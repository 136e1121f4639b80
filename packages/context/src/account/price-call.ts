// What a call cost, and what the same tokens would have cost otherwise: without a cache, with an ideal one, at another
// model's prices. In exact US dollars, output included.

import type { Money, Usage } from '@tidemark/log';
import { money } from '@tidemark/log';
import type { Capabilities, Price, Ttl } from '@tidemark/model';
import { costOf, inputTokens, priceAt } from '@tidemark/model';
import type { CliffCost } from '../pressure/gauge.ts';
import { cliffCost } from '../pressure/gauge.ts';
import type { ModelCall } from './model-call.ts';

/** The prices of one call; absent is unknown. */
export interface PricedCall {
  /** As recorded with the answer, else by the row's price on its day. */
  readonly paid: Money | undefined;
  readonly uncached: Money | undefined;
  /** Each new token written once, each old one read. */
  readonly ideal: Money | undefined;
  /** What of `paid` its length added, where all of a request of that length costs more. */
  readonly dearer: CliffCost | undefined;
  /** At the prices of another model, as if it had counted and cached alike. */
  readonly other: Money | undefined;
}

/** Prices a call; `other` is the row of another model. */
export function priceCall(call: ModelCall, other?: Capabilities): PricedCall {
  const { usage, unsent } = call;
  const price = priceIn(call.row, call);
  const input = inputTokens(usage);
  const uncached = input === undefined ? undefined : { ...usage, fresh: input, read: 0, writes: [] };
  return {
    paid: call.cost ?? total(price, usage),
    uncached: total(price, uncached),
    ideal: total(
      price,
      price && input !== undefined && unsent !== undefined ? ideal(usage, price, input, unsent) : undefined,
    ),
    dearer: call.row === undefined ? undefined : cliffCost({ capabilities: call.row, at: call.at, usage }),
    other: total(priceIn(other, call), inPricesOf(priceIn(other, call), usage)),
  };
}

function priceIn(row: Capabilities | undefined, { at, usage }: ModelCall): Price | undefined {
  const input = inputTokens(usage);
  return row === undefined || input === undefined ? undefined : priceAt(row, at.slice(0, 10), input);
}

function total(price: Price | undefined, usage: Usage | undefined): Money | undefined {
  const cost = price === undefined || usage === undefined ? undefined : costOf(price, usage);
  return cost === undefined ? undefined : money(cost.total);
}

function ideal(usage: Usage, price: Price, input: number, unsent: number): Usage {
  const tokens = Math.min(input, unsent);
  return { ...usage, read: input - tokens, ...writeUsage(price, tokens, 0) };
}

/** The same buckets in lives that the price knows: a life that is not sold there is the shortest that is. */
function inPricesOf(price: Price | undefined, usage: Usage): Usage | undefined {
  if (price === undefined || usage.writes === undefined || usage.fresh === undefined) return undefined;
  const sold = usage.writes.filter(({ ttl }) => price.writes[ttl] !== undefined);
  const others = usage.writes.filter(({ ttl }) => price.writes[ttl] === undefined);
  const tokens = others.reduce((sum, write) => sum + write.tokens, 0);
  const { fresh, writes } = writeUsage(price, tokens, usage.fresh);
  return { ...usage, fresh, writes: [...sold, ...writes] };
}

const LIVES: readonly Ttl[] = ['5m', '30m', '1h', '12h'];

/** Written at the shortest life that has a price; where writing is not charged apart, it is fresh input. */
function writeUsage(price: Price, tokens: number, fresh: number): Required<Pick<Usage, 'fresh' | 'writes'>> {
  const ttl = LIVES.find((life) => price.writes[life] !== undefined);
  return ttl === undefined ? { fresh: fresh + tokens, writes: [] } : { fresh, writes: [{ ttl, tokens }] };
}
