// What a request is about to pay again, said before it is sent: how much, why, and what that costs above reading it.

import type { EpochCause, MissCause, Money, EpochForecast, Timestamp } from '@tidemark/log';
import { expectedInput } from '../state/scales.ts';
import { rewriteCost } from './miss.ts';
import { milliseconds } from '@tidemark/log';
import type { Capabilities, Ttl } from '@tidemark/model';
import { isAlive, isOfOther } from '../cache/entries.ts';
import type { Outlook } from './forecast.ts';
import type { State } from '../state/state.ts';

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

/** What the price of an epoch is made from. */
export interface EpochPrice {
  /** The state before it opens. */
  readonly state: State;
  /** The outlook of its first request. */
  readonly outlook: Outlook;
  readonly capabilities: Capabilities;
  readonly at: Timestamp;
  /** The life of what is written; absent where writes are free. */
  readonly ttl: Ttl | undefined;
  /** The account that is asked, where it is one of the same provider and model as before; absent where it is not known. */
  readonly account?: string | undefined;
}

/**
 * Tokens that were sent before and will be written again because of this epoch, and what that costs above reading them.
 * What had expired anyway, or what another account holds, is not its doing.
 */
export function epochForecast({ state, outlook, capabilities, at, ttl, account }: EpochPrice): EpochForecast {
  const now = milliseconds(at);
  const alive = state.cache.entries.some(
    (entry) => entry.section === 'messages' && isAlive(entry, now) && !isOfOther(entry, account),
  );
  const { forecast } = outlook;
  const rewrite = alive ? Math.max(0, outlook.held - forecast.read) : 0;
  const cost = rewriteCost({ capabilities, at, input: expectedInput(forecast), tokens: rewrite, ttl });
  return { rewrite, ...(cost === undefined ? {} : { cost }) };
}
