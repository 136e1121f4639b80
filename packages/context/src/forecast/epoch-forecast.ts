// The price of opening an epoch, said before it is paid.

import type { EpochForecast, Timestamp } from '@tidemark/log';
import { milliseconds } from '@tidemark/log';
import type { Capabilities, Ttl } from '@tidemark/model';
import { expectedInput } from '../base/expected-input.ts';
import { isAlive, isOfOther } from '../cache/entries.ts';
import type { Outlook } from './forecast.ts';
import { rewriteCost } from './miss.ts';
import type { State } from '../state/state.ts';

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
