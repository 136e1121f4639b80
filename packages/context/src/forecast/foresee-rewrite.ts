// What a request is about to pay again, said before it is sent: how much, why, and what that costs above reading it.

import type { EpochCause, MissCause, Money } from '@tidemark/log';
import { expectedInput } from '../base/expected-input.ts';
import type { EpochPrice } from './epoch-forecast.ts';
import { epochForecast } from './epoch-forecast.ts';
import { rewriteCost } from './miss.ts';

/** Tokens that were sent before and are about to be paid again. */
export interface ForeseenRewrite {
  /** A change of ours by the name of its epoch; else what the cache or the provider's rules do. */
  readonly cause: EpochCause | MissCause;
  /** Other causes, each of which alone would lose them. */
  readonly also?: readonly (EpochCause | MissCause)[];
  /** An estimate. */
  readonly tokens: number;
  /** Above reading them, in US dollars; absent when the price is unknown. */
  readonly cost?: Money;
}

/** The epoch of the request: whether it opens with it, and its cause. */
export interface RequestEpoch {
  readonly opens: boolean;
  readonly cause: EpochCause;
  readonly also?: readonly EpochCause[];
}

/** The rewrite that a request brings; `undefined` when it reads all that was sent before it. */
export function foreseeRewrite(price: EpochPrice, epoch: RequestEpoch): ForeseenRewrite | undefined {
  const { outlook, capabilities, at, ttl } = price;
  const { loss, forecast } = outlook;
  if (loss === undefined) return undefined;
  const { tokens } = loss;
  const input = expectedInput(forecast);
  const cost = rewriteCost({ capabilities, at, input, tokens, ttl });
  const [first, ...also] = causesOf(price, epoch);
  return {
    cause: first,
    ...(also.length === 0 ? {} : { also }),
    tokens,
    ...(cost === undefined ? {} : { cost }),
  };
}

type Causes = readonly [ForeseenRewrite['cause'], ...ForeseenRewrite['cause'][]];

/** What was gone anyway is no doing of the epoch alone; what an epoch broke whose first request failed still is its doing. */
function causesOf(price: EpochPrice, { opens, cause, also = [] }: RequestEpoch): Causes {
  const { loss, gone } = price.outlook;
  if (opens && epochForecast(price).rewrite > 0) return [cause, ...also];
  const isOpened = loss === undefined || loss.cause === 'opened';
  if (gone === undefined) return isOpened ? [cause, ...also] : [loss.cause];
  if (opens && isOpened) return [gone, cause, ...also];
  return loss === undefined || loss.cause === gone || isOpened ? [gone] : [gone, loss.cause];
}
