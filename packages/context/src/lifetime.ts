// How long the next entry shall live, chosen by the odds: what is written dearer must be kept by it often enough.

import type { Capabilities, Price, Ttl } from '@tidemark/model';
import { multiplier } from '@tidemark/model';
import { LIFE } from './entries.ts';
import type { Pauses } from './pauses.ts';
import { stakes } from './pauses.ts';
import type { Entry } from './state.ts';

/** How long an entry may be asked to live. */
export type Lifetime = '5m' | '1h';

/** What a lifetime is chosen from. */
export interface LifetimeInput {
  /** All that the stream has shown, the pause before this request included. */
  readonly pauses: Pauses;
  readonly capabilities: Capabilities;
  /** The price of this request; without one nothing is paid in advance. */
  readonly price: Price | undefined;
  /** Tokens of this request. */
  readonly tokens: number;
  /** The entry that this request will read: what it writes stands behind that. */
  readonly behind: Pick<Entry, 'ttl' | 'section'> | undefined;
}

/**
 * Before a stream has shown anything, as if three lives had ended: one in a pause that an hour outlasts, one in a longer
 * pause or a new packing, one with the session. Of the twelve lives in the three recordings of real coding sessions that
 * this was made with, five ended in the first way. So a stream begins short, and one pause that comes back within the hour
 * is enough to go long.
 */
const PRIOR = { kept: 1, ended: 3 } as const;

/** Odds this near the threshold, as a share of it, change nothing; and where a history is written anew, they leave it short. */
const HYSTERESIS = 0.1;

/**
 * The longer life where `odds × (long write − read)` exceeds `long write − short write`. The odds are those that what ends
 * the short life of a token leaves the long one: the token would then be written again, and long, as the same odds say.
 * Neither the session's length nor its number of calls enters: all calls before that end read the token alike.
 *
 * Behind an entry of five minutes it is always five: no provider is known to let the free part live longer
 * (`promotes`), and then nothing behind it does.
 */
export function chooseLifetime(input: LifetimeInput): Lifetime {
  const { behind, pauses, tokens } = input;
  const threshold = thresholdOf(input);
  if (behind?.ttl === '5m' || threshold === undefined) return '5m';
  const { kept, lost } = stakes(pauses, LIFE['5m'], LIFE['1h']);
  const odds = (kept + PRIOR.kept * tokens) / (kept + lost + PRIOR.ended * tokens);
  const margin = behind?.section === 'messages' ? 1 - HYSTERESIS : 1 + HYSTERESIS;
  return odds > threshold * margin ? '1h' : '5m';
}

/** The life that a provider's own entries are written with: the first that the row has a price for. None is told of free ones. */
export function keptLife({ ttls, prices }: Capabilities): Ttl | undefined {
  const isPriced = (ttl: Ttl): boolean =>
    prices.some(({ tiers }) => tiers.some(({ price }) => price.writes[ttl] !== undefined));
  return ttls.find(isPriced);
}

/** Odds at which both lives cost the same; `undefined` where there is no choice or no price. */
function thresholdOf({ capabilities, price }: LifetimeInput): number | undefined {
  if (price === undefined || !capabilities.ttls.includes('1h')) return undefined;
  const long = multiplier(price, '1h');
  const short = multiplier(price, '5m');
  const read = multiplier(price, 'read');
  if (long === undefined || short === undefined || read === undefined) return undefined;
  const saved = Number(long) - Number(read);
  return saved <= 0 ? undefined : (Number(long) - Number(short)) / saved;
}
